import type { Drawing } from '@dramaturg/compiler';
import { icons, iconSize, legendOf } from '@dramaturg/drawing';

/** What the kinds of states in a chart are for. Closed until the reader opens it. */
export function Legend({ drawing }: { readonly drawing: Drawing }) {
  const entries = legendOf(drawing);
  if (entries.length < 2) return null;
  return (
    <details className="dg-legend-box">
      <summary>Legend</summary>
      <ul>
        {entries.map(({ word, look }) => (
          <li key={word} className="dg-node" data-tint={look.tint}>
            <svg width={iconSize} height={iconSize} aria-hidden>
              {look.icon !== undefined && <path className="dg-icon" d={icons[look.icon]} />}
            </svg>
            <span>
              <b>{word}</b> {look.meaning}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
