import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { Line } from '../../service/protocol.ts';
import { timeText } from '../../state/duration.ts';
import { wording } from '../../wording.ts';
import { useStored } from '../../state/stored.ts';
import { useDesk } from '../desk-context.ts';

interface TranscriptProps {
  readonly lines: readonly Line[];
  readonly isLoaded: boolean;
  /** Absent when the first message is shown. */
  readonly onEarlier: (() => void) | undefined;
}

/** Pixels from the end within which the log follows new messages. */
const nearEnd = 80;

/** The messages, with their writers. It follows new messages unless the reader has scrolled up. */
export function Transcript({ lines, isLoaded, onEarlier }: TranscriptProps) {
  const { live, me } = useDesk();
  const part = useSyncExternalStore(live.observe, () => live.part);
  const [steps, setSteps] = useStored('steps', ['hidden', 'shown']);
  const log = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const last = lines.at(-1)?.id;
  useEffect(() => {
    const { current } = log;
    if (current && isFollowing.current) current.scrollTop = current.scrollHeight;
  }, [last, part]);
  const words = wording.conversation;
  const shown = steps === 'shown' ? lines : lines.filter(({ role }) => role !== 'system');
  return (
    <div
      className="log"
      role="log"
      aria-label={words.messages}
      tabIndex={0}
      ref={log}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isFollowing.current = scrollHeight - scrollTop - clientHeight < nearEnd;
      }}
    >
      {onEarlier && (
        <button type="button" className="earlier" onClick={onEarlier}>
          {words.earlier}
        </button>
      )}
      {lines.some(({ role }) => role === 'system') && (
        <button
          type="button"
          className="link earlier"
          onClick={() => setSteps(steps === 'shown' ? 'hidden' : 'shown')}
        >
          {steps === 'shown' ? words.hideSteps : words.showSteps}
        </button>
      )}
      {isLoaded && shown.length === 0 && part === '' && <p className="muted">{words.noMessages}</p>}
      {shown.map((line) => (
        <Message key={line.id} line={line} me={me.name} />
      ))}
      {part !== '' && (
        <div className="message" data-role="agent" data-part aria-hidden>
          <p className="message-head">{words.isWriting}</p>
          <p className="message-text">{part}</p>
        </div>
      )}
    </div>
  );
}

function Message({ line, me }: { readonly line: Line; readonly me: string }) {
  const { role, text, at, by } = line;
  const who = by === undefined ? wording.roles[role] : by === me ? wording.roles.you : by;
  return (
    <div className="message" data-role={role}>
      <p className="message-head">
        <strong>{who}</strong> <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
      </p>
      <p className="message-text">{text}</p>
    </div>
  );
}
