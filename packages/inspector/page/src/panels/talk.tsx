import { Conversation } from '@dramaturg/react';
import { type FormEvent, useMemo, useState } from 'react';
import { hasEnded, type RecordedActor } from '../../../src/recording.ts';
import type { SendOrder } from '../../../src/server/exhibit.ts';
import {
  isCompiled,
  nodesOf,
  type PlacedNode,
  targetIdsOf,
  titleOf,
  transitionsOf,
} from '../data/chart-nodes.ts';
import type { Connection } from '../data/connection.ts';
import { chartIn, messagesIn, questionsIn } from '../data/derive.ts';
import type { Actors } from '../data/playback.ts';
import type { View } from '../use-view.ts';

/** The messages up to the shown moment, and an input field. */
export function Talk({
  view,
  connection,
}: {
  readonly view: View;
  readonly connection: Connection;
}) {
  const { playback, about } = connection;
  const { count, calls, isFollowing, actors, actor } = view;
  const messages = useMemo(() => messagesIn(playback.events, count), [playback, count]);
  const [because, setBecause] = useState<string>();
  const maySend = isFollowing && about?.allowsSending === true;
  // A stored instance routes events to its actors. Otherwise the selected actor receives them.
  const send = (event: SendOrder['event'], sessionId: string | undefined) =>
    void connection
      .send(playback.isStored || sessionId === undefined ? { event } : { event, sessionId })
      .then(setBecause);
  const root = actor?.rootId;
  const isOver = [...actors.values()]
    .filter(({ parentId }) => parentId === undefined)
    .filter(({ sessionId }) => playback.isStored || sessionId === root)
    .every(hasEnded);
  const receiver = receiverIn(actors, actor, playback.isStored);
  const contact = connection.runs.find(({ id }) => id === connection.run)?.contact;
  const isAsked = calls.some(
    ({ port, status }) => status === 'open' && port !== 'timer' && port !== 'requestDecision',
  );
  return (
    <div className="talk">
      <Conversation
        messages={messages}
        turn={isOver ? 'ended' : isAsked ? 'agent' : 'person'}
        decisions={questionsIn(calls)}
        names={{ person: 'Person' }}
        {...(maySend
          ? {
              onSay: (text: string) => send({ type: 'message.received', text }, root),
              onDecide: (key, decision) => send({ type: 'decision.made', key, ...decision }, root),
            }
          : {})}
      />
      {because !== undefined && <p role="alert">{because}</p>}
      {maySend && !isOver && (
        <p className="hint writer">
          {contact === undefined ? (
            <>
              You write as <strong>the person</strong>
            </>
          ) : (
            <>
              You write as <strong>{contact}</strong>, the contact
            </>
          )}
          , to {playback.isStored ? connection.run : (actors.get(root ?? '')?.name ?? 'the run')}.
        </p>
      )}
      {maySend && receiver && (
        <EventButtons
          to={receiver.name}
          events={acceptedEvents(receiver)}
          onSend={(type) => send({ type }, receiver.sessionId)}
        />
      )}
      {maySend && (
        <AnyEvent
          to={playback.isStored ? undefined : actor?.name}
          onSend={(event) => send(event, actor?.sessionId)}
        />
      )}
      {!maySend && about?.allowsSending === true && (
        <p className="hint">Go to the end to send a message.</p>
      )}
    </div>
  );
}

function AnyEvent({
  to,
  onSend,
}: {
  /** The name of the receiving actor. */
  readonly to: string | undefined;
  readonly onSend: (event: SendOrder['event']) => void;
}) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      const value = JSON.parse(
        text.trimStart().startsWith('{') ? text : JSON.stringify({ type: text.trim() }),
      ) as SendOrder['event'];
      if (typeof value.type !== 'string' || value.type === '')
        throw new Error('An event needs a "type".');
      setProblem(undefined);
      setText('');
      onSend(value);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <details className="any-event">
      <summary>Send another event{to !== undefined && ` to ${to}`}</summary>
      <form onSubmit={submit}>
        <input
          aria-label="Event, as JSON or as its type"
          placeholder='pause, or {"type": "pause"}'
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit">Send</button>
      </form>
      {problem !== undefined && <p role="alert">{problem}</p>}
    </details>
  );
}

interface EventButtonsProps {
  /** The name of the receiving actor. */
  readonly to: string;
  readonly events: readonly AcceptedEvent[];
  readonly onSend: (type: string) => void;
}

/** A button for each event that the actor accepts now. */
function EventButtons({ to, events, onSend }: EventButtonsProps) {
  if (events.length === 0) return null;
  return (
    <div className="events" role="group" aria-label={`Events of ${to}`}>
      {events.map(({ type, to: target }) => (
        <button
          key={type}
          type="button"
          title={target === undefined ? `Sends "${type}"` : `Leads to ${target}`}
          onClick={() => onSend(type)}
        >
          {type}
        </button>
      ))}
    </div>
  );
}

/** An event that an actor accepts now, and the state that it leads to if there is one. */
interface AcceptedEvent {
  readonly type: string;
  readonly to?: string;
}

/** The actor whose events people send: of a stored instance its lifecycle, otherwise the selected one. */
function receiverIn(
  actors: Actors,
  selected: RecordedActor | undefined,
  isStored: boolean,
): RecordedActor | undefined {
  if (!isStored) return selected;
  return [...actors.values()].find((actor) => !actor.call && listsEvents(actor));
}

/**
 * The events that a person may send to an actor in its current states. Those that the machine raises itself, and those of the
 * contract between lifecycle and flow, are left out.
 */
export function acceptedEvents(actor: RecordedActor | undefined): readonly AcceptedEvent[] {
  const chart = chartIn(actor);
  if (!actor || !chart || actor.snapshot.status !== 'active') return [];
  const nodes = nodesOf(chart);
  const active = (actor.snapshot.nodes ?? []).flatMap((id) => nodes.get(id) ?? []).toReversed();
  const found = new Map<string, AcceptedEvent>();
  const add = (event: AcceptedEvent) => found.has(event.type) || found.set(event.type, event);
  if (!isCompiled(chart)) {
    for (const placed of active.flatMap(transitionsOf))
      if (isForPeople(placed.event)) {
        const to = nodes.get(targetIdsOf(placed)[0] ?? '');
        add({ type: placed.event, ...(to ? { to: titleOf(to) } : {}) });
      }
    return [...found.values()];
  }
  const raised = raisedIn(nodes.values());
  for (const { event, to } of active.flatMap(listedEvents))
    if (isForPeople(event) && !event.includes('.') && !raised.has(event))
      add({ type: event, ...(to === undefined ? {} : { to }) });
  return [...found.values()];
}

/** Whether a machine lists its events: a lifecycle does. */
function listsEvents(actor: RecordedActor): boolean {
  const chart = chartIn(actor);
  return (
    chart !== undefined &&
    [...nodesOf(chart).values()].some((node) => listedEvents(node).length > 0)
  );
}

function listedEvents({ node }: PlacedNode) {
  const accepts = node.meta?.['accepts'];
  if (!Array.isArray(accepts)) return [];
  return accepts as unknown as readonly { readonly event: string; readonly to?: string }[];
}

function raisedIn(nodes: Iterable<PlacedNode>): ReadonlySet<string> {
  const raised = new Set<string>();
  for (const node of nodes)
    for (const { transition } of transitionsOf(node))
      for (const { type, params } of transition.actions ?? [])
        if (type === 'raise' && typeof params?.['event'] === 'string') raised.add(params['event']);
  return raised;
}

/** Events of lifecycles that carry a text. Spec: docs/formats/lifecycle.md */
const needText = new Set(['intervene', 'manual_send']);

function isForPeople(event: string): boolean {
  if (event === '' || event.includes('*') || needText.has(event)) return false;
  return !/^(?:xstate\.|after )/.test(event);
}
