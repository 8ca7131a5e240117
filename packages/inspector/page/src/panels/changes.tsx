import { Deliverables } from '@dramaturg/react';
import { useMemo } from 'react';
import type { InspectorEvent } from '../../../src/events.ts';
import { deliverablesIn } from '../data/derive.ts';
import { type Change, changesBetween } from '../data/diff.ts';
import type { View } from '../use-view.ts';
import { shortText } from '../value-text.ts';

/** The context of the actor, with its changes. */
export function Changes({
  view,
  events,
}: {
  readonly view: View;
  readonly events: readonly InspectorEvent[];
}) {
  const { actor, before, against, isPinned, count } = view;
  const then = before.get(actor?.sessionId ?? '');
  const changes = useMemo(
    () =>
      actor
        ? changesBetween(
            {
              state: then?.snapshot.value,
              context: then?.snapshot.context,
              output: then?.snapshot.output,
            },
            {
              state: actor.snapshot.value,
              context: actor.snapshot.context,
              output: actor.snapshot.output,
            },
          )
        : [],
    [actor, then],
  );
  const deliverables = useMemo(() => deliverablesIn(events, count), [events, count]);
  if (!actor) return <p className="dg-empty">No actors yet.</p>;
  return (
    <div className="changes">
      <h3>
        {isPinned
          ? `Changed since ${against?.step ? 'step' : 'moment'} ${against?.number}`
          : 'Changed in this step'}
      </h3>
      {changes.length === 0 ? (
        <p className="hint">Nothing of {actor.name}.</p>
      ) : (
        <ChangeList changes={changes} />
      )}
      {deliverables.length > 0 && (
        <>
          <h3>Deliverables</h3>
          <Deliverables items={deliverables} />
        </>
      )}
      <h3>Context of {actor.name}</h3>
      <pre tabIndex={0}>{JSON.stringify(actor.snapshot.context ?? null, null, 2)}</pre>
      {actor.snapshot.output !== undefined && (
        <>
          <h3>Output</h3>
          <pre tabIndex={0}>{JSON.stringify(actor.snapshot.output, null, 2)}</pre>
        </>
      )}
    </div>
  );
}

function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <dl className="change-list">
      {changes.map(({ path, before, after }) => (
        <div key={path.join('\n')}>
          <dt>{path.join(' › ')}</dt>
          <dd>
            {before !== undefined && (
              <del title={shortText(before, 2_000)}>{shortText(before)}</del>
            )}
            {after === undefined ? (
              <em>gone</em>
            ) : (
              <ins title={shortText(after, 2_000)}>{shortText(after)}</ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
