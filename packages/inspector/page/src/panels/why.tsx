import { useMemo } from 'react';
import type { GuardEvent, InspectorEvent, TransitionEvent } from '../../../src/events.ts';
import { actorTitle } from '../data/actor-names.ts';
import type { Playback } from '../data/playback.ts';
import type { Condition, Doings } from '../data/why/conditions.ts';
import { type Explanation, explanationsIn } from '../data/why/explanations.ts';
import type { View } from '../use-view.ts';
import { shortText } from '../value-text.ts';

/** Explains a step in the author's words, with the machine's words folded below them. */
export function Why({ view, playback }: { readonly view: View; readonly playback: Playback }) {
  const { moment, actors, actor } = view;
  const { events } = playback;
  const explanations = useMemo(
    () =>
      moment
        ? explanationsIn(
            moment,
            events,
            playback.actorsAfter(moment.from),
            actors,
            actor?.sessionId,
          )
        : [],
    [moment, events, playback, actors, actor],
  );
  if (!moment) return <p className="dg-empty">No events yet.</p>;
  const handled = moment.step?.event ?? firstEvent(events.slice(moment.from, moment.to));
  return (
    <div className="why">
      {moment.step?.departs !== undefined && <p role="alert">{moment.step.departs}</p>}
      {explanations.length === 0 && (
        <p className="hint">No machine did anything in this {moment.step ? 'step' : 'moment'}.</p>
      )}
      {explanations.map((explanation) => (
        <Explained
          key={explanation.actor.sessionId}
          explanation={explanation}
          name={actorTitle(explanation.actor, actors)}
        />
      ))}
      {handled && (
        <details className="folded">
          <summary>
            The event <strong>{handled.type}</strong>
          </summary>
          <pre tabIndex={0}>{JSON.stringify(handled, null, 2)}</pre>
        </details>
      )}
    </div>
  );
}

function firstEvent(happened: readonly InspectorEvent[]) {
  return happened.find((event) => event.type === '@xstate.event')?.event;
}

function Explained({
  explanation: { headline, states, doings },
  name,
}: {
  readonly explanation: Explanation;
  readonly name: string;
}) {
  return (
    <section className="explained" aria-label={name}>
      <h3>{name}</h3>
      <p className="headline">{headline}</p>
      {states.map(({ name: state, conditions }, index) => (
        <div key={index}>
          {states.length > 1 && <h4>Out of {state}</h4>}
          <ul>
            {conditions.map((condition, place) => (
              <ConditionRow key={place} condition={condition} />
            ))}
          </ul>
        </div>
      ))}
      <MachineWords doings={doings} />
    </section>
  );
}

function ConditionRow({ condition }: { readonly condition: Condition }) {
  const { to, words, holds, isTaken, reason } = condition;
  const values = Object.entries(reason?.values ?? {});
  return (
    <li data-taken={isTaken || undefined}>
      <span
        className="verdict"
        data-result={holds}
        title={holds === undefined ? 'Not evaluated' : holds ? 'It holds' : 'It does not hold'}
      >
        {holds === undefined ? '–' : holds ? 'yes' : 'no'}
      </span>
      <span className="condition">
        {words}
        {to !== undefined && <small> → {to}</small>}
        {reason && <small className="because">{reason.text}</small>}
      </span>
      {values.length > 0 && (
        <dl>
          {values.map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{value === null ? <em>missing</em> : shortText(value, 200)}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The guards and transitions of an actor as the machine names them, folded. */
function MachineWords({ doings: { guards, transitions } }: { readonly doings: Doings }) {
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
