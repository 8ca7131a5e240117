import type { GuardEvent, TransitionEvent } from '../../../src/events.ts';
import type { Doings } from '../data/why/conditions.ts';
import { shortText } from '../value-text.ts';

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The guards and transitions of an actor as the machine names them, folded. */
export function MachineWords({ doings: { guards, transitions } }: { readonly doings: Doings }) {
  const count = guards.length + transitions.length;
  if (count === 0) return null;
  const happened = [...guards, ...transitions].toSorted(
    (one, other) => Number(one.id) - Number(other.id),
  );
  return (
    <details className="folded machine">
      <summary>
        {counted(guards.length, 'guard')} and {counted(transitions.length, 'transition')} of the
        machine
      </summary>
      <ol>
        {happened.map((each) => (
          <li key={each.id}>
            {each.type === '@dramaturg.guard' ? (
              <Guard guard={each} />
            ) : (
              <TakenTransitions transition={each} />
            )}
          </li>
        ))}
      </ol>
    </details>
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
