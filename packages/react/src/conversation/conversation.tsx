'use client';

import type { Decision, Question } from '@dramaturg/compiler/machine';
import { useEffect, useRef, useState } from 'react';
import type { ColorScheme } from '../color-scheme.ts';
import { DecisionForm } from './decision-form.tsx';
import type { Message } from './conversation-run.ts';

export interface ConversationProps {
  /** What was said, in order. */
  readonly messages: readonly Message[];
  /** The streamed part of the reply. */
  readonly partial?: string | undefined;
  /** Who speaks next; `ended` after the end. `agent` shows a waiting indicator. */
  readonly turn: 'agent' | 'person' | 'ended';
  /** The open decisions. */
  readonly decisions?: readonly Question[] | undefined;
  /** Without it there is no input field. */
  readonly onSay?: ((text: string) => void) | undefined;
  /** Set while a turn has failed: shows a button that retries the turn. */
  readonly onRetry?: (() => void) | undefined;
  /** Called with valid decisions. */
  readonly onDecide?: ((key: string, decision: Decision) => void) | undefined;
  /** Names for the labels of messages. */
  readonly names?: { readonly agent?: string; readonly person?: string } | undefined;
  /** The text shown before the first message. */
  readonly empty?: string | undefined;
  /** Light, dark, or as the reader's system says (`auto`, the default). */
  readonly colorScheme?: ColorScheme | undefined;
}

/** A conversation: a log that follows new messages, an input field and forms for decisions. */
export function Conversation({
  messages,
  partial,
  turn,
  decisions = [],
  onSay,
  onRetry,
  onDecide,
  names = {},
  empty = 'No messages yet.',
  colorScheme = 'auto',
}: ConversationProps) {
  const log = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = log;
    if (current) current.scrollTop = current.scrollHeight;
  }, [messages.length, partial, decisions.length]);
  const { agent = 'Agent', person = 'You' } = names;
  const isEmpty = messages.length === 0 && !partial && turn !== 'agent';
  return (
    <div
      role="group"
      className="dg dg-conversation"
      data-color-scheme={colorScheme}
      aria-label="Conversation"
      data-turn={turn}
    >
      <div
        className="dg-log"
        role="log"
        aria-label="Messages"
        aria-live="polite"
        tabIndex={0}
        ref={log}
      >
        {isEmpty && <p className="dg-empty">{empty}</p>}
        {messages.map(({ id, role, text }) => (
          <div key={id} className="dg-message" data-role={role}>
            {role !== 'note' && (
              <span className="dg-message-who">{role === 'agent' ? agent : person}</span>
            )}
            <p>{text}</p>
          </div>
        ))}
        {turn === 'agent' && (
          <div className="dg-message" data-role="agent" data-partial aria-hidden>
            <span className="dg-message-who">{agent}</span>
            {partial ? <p>{partial}</p> : <Dots />}
          </div>
        )}
      </div>
      {onRetry && (
        <button type="button" className="dg-retry" onClick={onRetry}>
          Try again
        </button>
      )}
      {decisions.map((question) => (
        <DecisionForm key={question.key} question={question} onDecide={onDecide} />
      ))}
      {onSay && <Composer isEnded={turn === 'ended'} onSay={onSay} />}
    </div>
  );
}

function Dots() {
  return (
    <p className="dg-dots">
      <i />
      <i />
      <i />
    </p>
  );
}

interface ComposerProps {
  readonly isEnded: boolean;
  readonly onSay: (text: string) => void;
}

/** An input field: Enter sends, Shift+Enter starts a new line. Messages sent during a turn wait. */
function Composer({ isEnded, onSay }: ComposerProps) {
  const [text, setText] = useState('');
  const send = () => {
    if (text.trim() === '' || isEnded) return;
    onSay(text);
    setText('');
  };
  return (
    <form
      className="dg-composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label="Message"
        rows={1}
        value={text}
        disabled={isEnded}
        placeholder={isEnded ? 'The conversation has ended.' : 'Write a message'}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <button type="submit" className="dg-primary" disabled={isEnded || text.trim() === ''}>
        Send
      </button>
    </form>
  );
}
