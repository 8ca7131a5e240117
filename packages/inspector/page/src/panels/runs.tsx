import { useState } from 'react';
import type { Run } from '../../../src/server/exhibit.ts';
import type { RecordedActor } from '../../../src/recording.ts';
import { actorTitle } from '../data/actor-names.ts';
import { treeOf } from '../data/derive.ts';
import { hasFailed } from '../data/failure.ts';
import type { View } from '../use-view.ts';
import { valueText } from '../value-text.ts';

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

/** The actors of the shown moment, each below its caller. */
export function ActorTree({ view: { actors, actor, pick } }: { readonly view: View }) {
  const tree = treeOf(actors);
  return (
    <section className="actors" aria-label="Actors">
      <h2>Actors</h2>
      <ul>
        {tree.slice(0, 500).map(({ actor: each, depth }) => (
          <li key={each.sessionId}>
            <button
              type="button"
              className="row"
              style={{ paddingLeft: 12 + depth * 14 }}
              aria-current={each === actor || undefined}
              onClick={() => pick(each.sessionId)}
            >
              <span className="row-name">
                <i className="dot" data-status={hasFailed(each) ? 'error' : each.snapshot.status} />
                {actorTitle(each, actors)}
              </span>
              <span className="row-more">{statusText(each)}</span>
            </button>
          </li>
        ))}
      </ul>
      {tree.length > 500 && <p className="hint">{tree.length - 500} more actors.</p>}
    </section>
  );
}

function statusText(actor: RecordedActor): string {
  const { status, value, items } = actor.snapshot;
  if (hasFailed(actor)) return 'failed';
  if (status !== 'active') return status ?? '';
  return items ? `${items.ended}/${items.total}` : valueText(value);
}
