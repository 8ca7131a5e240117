import type { Drawing } from '@dramaturg/compiler/chart';
import { icons, iconSize, legendOf, type Reach, reachMark, reachWords } from '@dramaturg/drawing';

/** Explains the kinds of states in a chart. Closed until the reader opens it. */
export function Legend({
  drawing,
  hasCoverage,
}: {
  readonly drawing: Drawing;
  readonly hasCoverage: boolean;
}) {
  const entries = legendOf(drawing);
  if (entries.length < 2 && !hasCoverage) return null;
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
        {hasCoverage &&
          (Object.keys(reachWords) as Reach[]).map((reach) => (
            <li key={reach}>
              <svg
                width={iconSize}
                height={iconSize}
                aria-hidden
                // oxlint-disable-next-line react/no-danger -- It has no text.
                dangerouslySetInnerHTML={{ __html: reachMark(reach, iconSize / 2, iconSize / 2) }}
              />
              <span>{reachWords[reach]}</span>
            </li>
          ))}
      </ul>
    </details>
  );
}
