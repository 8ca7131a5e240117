import { Conversation } from '@dramaturg/react';
import { type FormEvent, useMemo, useState } from 'react';
import type { SendOrder } from '../../../src/server/exhibit.ts';
import type { Connection } from '../data/connection.ts';
import { questionsIn, messagesIn } from '../data/derive.ts';
import type { View } from '../use-view.ts';

/** What was said by the moment that is shown; and what one may say now. */
export function Talk({
  view,
  connection,
}: {
  readonly view: View;
  readonly connection: Connection;
}) {
  const { reel, about } = connection;
  const { count, calls, isFollowing, actors } = view;
  const messages = useMemo(() => messagesIn(reel.events, count), [reel, count]);
  const [because, setBecause] = useState<string>();
  const maySend = isFollowing && about?.allowsSending === true;
  const send = (order: SendOrder) => void connection.send(order).then(setBecause);
  const isOver = [...actors.values()]
    .filter(({ parentId }) => parentId === undefined)
    .every(({ snapshot }) => snapshot.status !== 'active');
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
              onSay: (text: string) => send({ event: { type: 'message.received', text } }),
              onDecide: (key, decision) =>
                send({ event: { type: 'decision.made', key, ...decision } }),
            }
          : {})}
      />
      {because !== undefined && <p role="alert">{because}</p>}
      {maySend && <AnyEvent onSend={(event) => send({ event })} />}
      {!maySend && about?.allowsSending === true && (
        <p className="hint">Go to the end to say something.</p>
      )}
    </div>
  );
}

function AnyEvent({ onSend }: { readonly onSend: (event: SendOrder['event']) => void }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    try {
      const value = JSON.parse(
        text.trimStart().startsWith('{') ? text : JSON.stringify({ type: text.trim() }),
      ) as SendOrder['event'];
      if (typeof value.type !== 'string' || value.type === '')
        throw new Error('An event has a type.');
      setProblem(undefined);
      setText('');
      onSend(value);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <details className="any-event">
      <summary>Send another event</summary>
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
