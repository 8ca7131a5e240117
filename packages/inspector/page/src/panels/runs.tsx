import { useState } from 'react';
import type { Run } from '../../../src/server/exhibit.ts';

export interface RunsProps {
  readonly runs: readonly Run[];
  readonly shown: string | undefined;
  /** Whether the shown run has failed: its events say so before the list does. */
  readonly hasShownFailed: boolean;
  readonly onOpen: (id: string) => void;
}

/** The list of runs, the most recently changed first. */
export function Runs({ runs, shown, hasShownFailed, onOpen }: RunsProps) {
  const [wanted, setWanted] = useState('');
  const found = runs
    .filter(({ id, title, state }) =>
      `${id} ${title} ${state}`.toLowerCase().includes(wanted.toLowerCase()),
    )
    .toSorted((one, other) => other.updatedAt - one.updatedAt);
  return (
    <section className="runs" aria-label="Runs">
      <h2>Runs</h2>
      {runs.length > 8 && (
        <input
          type="search"
          aria-label="Find a run"
          placeholder="Find"
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
        />
      )}
      <ul>
        {found.slice(0, 200).map(({ id, title, state, ended, failed }) => (
          <li key={id}>
            <button
              type="button"
              className="row"
              aria-current={id === shown || undefined}
              onClick={() => onOpen(id)}
            >
              <span className="row-name">{id}</span>
              <span
                className="row-more"
                data-ended={ended || undefined}
                data-failed={failed || (hasShownFailed && id === shown) || undefined}
              >
                {[title, state].filter(Boolean).join(' · ')}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {found.length > 200 && <p className="hint">{found.length - 200} more: type to find one.</p>}
    </section>
  );
}
