import type { GuardEvent, InspectorEvent, TransitionEvent } from '../../../src/events.ts';
import type { View } from '../use-view.ts';
import { shortText } from '../value-text.ts';

/** Explains a step: its event, each evaluated guard with its result, and the transitions. */
export function Why({
  view,
  events,
}: {
  readonly view: View;
  readonly events: readonly InspectorEvent[];
}) {
  const { moment, actors } = view;
  if (!moment) return <p className="dg-empty">No events yet.</p>;
  const happened = events.slice(moment.from, moment.to);
  const first = happened.find((event) => event.type === '@xstate.event');
  const handled = moment.step?.event ?? first?.event;
  const reasons = happened.filter(
    (event): event is GuardEvent | TransitionEvent =>
      event.type === '@dramaturg.guard' || event.type === '@dramaturg.transition',
  );
  return (
    <div className="why">
      <h3>{handled?.type ?? 'Start'}</h3>
      {moment.step?.departs !== undefined && <p role="alert">{moment.step.departs}</p>}
      {handled && <pre tabIndex={0}>{JSON.stringify(handled, null, 2)}</pre>}
      <h3>Guards and transitions</h3>
      {reasons.length === 0 && (
        <p className="hint">
          No guard was evaluated and no transition taken in this {moment.step ? 'step' : 'moment'}.
        </p>
      )}
      <ol>
        {reasons.map((reason, index) => (
          <li
            key={reason.id}
            data-kind={reason.type === '@dramaturg.guard' ? 'guard' : 'transition'}
          >
            {reason.sessionId !== reasons[index - 1]?.sessionId && (
              <span className="who">{actors.get(reason.sessionId)?.name}</span>
            )}
            {reason.type === '@dramaturg.guard' ? (
              <Guard guard={reason} />
            ) : (
              <TakenTransitions transition={reason} />
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Guard({
  guard: { guard, params, inputs, result, event },
}: {
  readonly guard: GuardEvent;
}) {
  return (
    <details>
      <summary>
        <span className="verdict" data-result={result}>
          {result ? 'yes' : 'no'}
        </span>
        <strong>{guard}</strong>
        {hasParts(params) && <code>{shortText(params, 80)}</code>}
      </summary>
      <small>on {event.type}</small>
      {hasParts(params) && <Part title="Params" value={params} />}
      {hasParts(inputs) && <Part title="What it has looked at" value={inputs} />}
      {Object.keys(event).length > 1 && <Part title="Event" value={event} />}
    </details>
  );
}

function hasParts(value: unknown): boolean {
  return Object.keys(Object(value) as object).length > 0;
}

function Part({ title, value }: { readonly title: string; readonly value: unknown }) {
  return (
    <div className="part">
      <h4>{title}</h4>
      <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
    </div>
  );
}

function TakenTransitions({
  transition: { taken, event },
}: {
  readonly transition: TransitionEvent;
}) {
  return (
    <>
      {taken.map(({ from, to, guard }, index) => (
        <span key={index} className="taken">
          <b>{lastKeys(from)}</b>
          {to.length === 0 ? ' stays' : ` → ${to.map(lastKeys).join(', ')}`}
          {guard !== undefined && <small> by {guard}</small>}
        </span>
      ))}
      <small>on {event.type}</small>
    </>
  );
}

/** Ids are long and begin with the machine's id. */
function lastKeys(id: string): string {
  const keys = id.split('.');
  return keys.length > 1 ? keys.slice(1).join('.') : id;
}
