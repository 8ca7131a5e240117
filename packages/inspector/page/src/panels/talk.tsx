import { Conversation } from '@dramaturg/react';
import { type FormEvent, useMemo, useState } from 'react';
import { hasEnded } from '../../../src/recording.ts';
import type { SendOrder } from '../../../src/server/exhibit.ts';
import { type AcceptedEvent, acceptedEvents, receiverIn } from '../data/accepted-events.ts';
import type { Connection } from '../data/connection.ts';
import { messagesIn, questionsIn } from '../data/derive.ts';
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
  // A stored instance routes events to its actors. In a live run, the selected actor receives them.
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
