import type { RecordedActor } from '../../../src/recording.ts';
import { actorTitle } from '../data/actor-names.ts';
import { treeOf } from '../data/derive.ts';
import { hasFailed } from '../data/failure.ts';
import type { View } from '../use-view.ts';
import { valueText } from '../value-text.ts';

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
