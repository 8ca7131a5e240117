import { type Piece, linkedPieces, markdownPieces } from '@dramaturg/channel-web/markdown';
import {
  createElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { DeskClient } from '../../service/desk-client.ts';
import { type Claim, claimAt, type Conversation, type Line } from '../../service/protocol.ts';
import { durationText, timeText } from '../../state/duration.ts';
import { placeOf, wayTo } from '../../state/place-of.ts';
import { useStored } from '../../state/stored.ts';
import { useLive } from '../../state/use-live.ts';
import { useNow } from '../../state/use-now.ts';
import { wording } from '../../wording.ts';
import { DecisionCard } from '../decisions/decision-card.tsx';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';
import { SidePane } from '../side/side-pane.tsx';
import { useAct } from '../use-act.ts';
import { useShortcuts } from '../use-shortcuts.ts';
import { Attachments } from './attachments.tsx';
import { Composer, type ComposerHandle } from './composer.tsx';

interface ConversationPaneProps {
  readonly id: string;
  readonly hasShortcuts: boolean;
  readonly onBack: () => void;
  readonly onOpen: (id: string) => void;
}

/** One conversation: its messages, the operator's actions, and a side pane with its details. */
export function ConversationPane({ id, hasShortcuts, onBack, onOpen }: ConversationPaneProps) {
  const { client, live, me, mayOperate } = useDesk();
  const [shown, setShown] = useState(linesShown);
  const [isSideOpen, setSideOpen] = useState(false);
  const loaded = useLive(live, `conversation ${id} ${shown}`, linesOf(client, id, shown), {
    instance: id,
  });
  const latest = useRef(loaded.value);
  // The shown messages stay while earlier ones are loaded.
  latest.current = loaded.value ?? latest.current;
  const { current: value } = latest;
  const composer = useRef<ComposerHandle>(null);
  const wantsToWrite = useRef(false);
  const now = useNow(1_000);
  const { act, isRunning } = useAct();
  const words = wording.conversation;
  useEffect(() => {
    live.watch(id);
    return () => live.watch(undefined);
  }, [live, id]);
  const conversation = value?.conversation;
  const owner = conversation && claimAt(conversation, now);
  const isMine = owner?.by === me.name;
  useEffect(() => {
    if (isMine && wantsToWrite.current) composer.current?.focus();
    wantsToWrite.current = false;
  }, [isMine]);
  const mayAct = mayOperate && conversation !== undefined && !conversation.ended;
  const takeOver = async () => {
    wantsToWrite.current = await act(() => client.takeOver(id), words.tookOver);
    loaded.reload();
  };
  const handBack = () => void act(() => client.handBack(id), words.handedBack).then(loaded.reload);
  const retry = () =>
    void act(async () => {
      // A run that has ended stays as it is: a copy continues in its place.
      if (conversation?.ended) onOpen((await client.runAgain(id)).id);
      else await client.retry(id);
    }, words.retried).then(loaded.reload);
  useShortcuts(
    {
      t: mayAct && !isMine ? () => void takeOver() : undefined,
      h: mayAct && isMine ? handBack : undefined,
      r: isMine ? () => composer.current?.focus() : undefined,
      p: isMine ? () => composer.current?.propose() : undefined,
      n: () => {
        setSideOpen(true);
        document.querySelector<HTMLButtonElement>('#tab-notes')?.click();
        setTimeout(() => document.querySelector<HTMLTextAreaElement>('#new-note')?.focus(), 50);
      },
    },
    hasShortcuts,
  );
  const contact = conversation?.address ?? conversation?.contact ?? id;
  return (
    <>
      <section
        className="conversation"
        aria-label={words.label(contact)}
        data-side={isSideOpen ? 'open' : 'closed'}
      >
        <header className="view-head">
          <button
            type="button"
            className="icon back-button"
            aria-label={words.back}
            onClick={onBack}
          >
            ←
          </button>
          <div className="who-and-where">
            <h2>{conversation ? contact : id}</h2>
            {conversation && (
              <p className="muted">
                {conversation.definition.name} · {placeOf(conversation)}
              </p>
            )}
          </div>
          <button
            type="button"
            className="details-button"
            aria-expanded={isSideOpen}
            onClick={() => setSideOpen(!isSideOpen)}
          >
            {isSideOpen ? words.hideDetails : words.details}
          </button>
        </header>
        {loaded.error !== undefined && <Problem error={loaded.error} onRetry={loaded.reload} />}
        {conversation && !conversation.ended && (
          <OwnerBar
            owner={owner}
            isMine={isMine}
            queue={conversation.queue}
            now={now}
            mayAct={mayAct}
            isBusy={isRunning}
            onTakeOver={() => void takeOver()}
            onHandBack={handBack}
            onAssign={(name) =>
              void act(() => client.takeOver(id, name), words.assigned(name)).then(loaded.reload)
            }
            onKeep={() => void act(() => client.renewClaim(id)).then(loaded.reload)}
          />
        )}
        {conversation && (
          <FailureBanner
            conversation={conversation}
            isBusy={isRunning}
            onRetry={mayOperate ? retry : undefined}
          />
        )}
        <Transcript
          id={id}
          lines={value?.lines ?? []}
          isLoaded={value !== undefined}
          onEarlier={
            value?.hasEarlier && shown < linesMax ? () => setShown(shown + linesShown) : undefined
          }
        />
        {conversation?.decisions.map(({ id: decision }) => (
          <DecisionCard key={decision} decision={`${id}/${decision}`} isCompact />
        ))}
        {conversation?.ended && <p className="ended muted">{words.ended}</p>}
        {conversation && !conversation.ended && mayOperate && (
          <Composer
            ref={composer}
            id={id}
            lastLine={value?.lines.at(-1)?.id}
            isMine={isMine}
            until={owner?.until}
            onChanged={loaded.reload}
          />
        )}
        {!mayOperate && <p className="ended muted">{words.mayNotOperate}</p>}
      </section>
      {conversation && (
        <SidePane
          conversation={conversation}
          isOpen={isSideOpen}
          onClose={() => setSideOpen(false)}
          onChanged={loaded.reload}
        />
      )}
    </>
  );
}

/** Number of messages shown at first and added by "earlier", and maximum number of messages. */
const [linesShown, linesMax] = [200, 1_000];

interface Lines {
  readonly conversation: Conversation;
  readonly lines: readonly Line[];
  readonly hasEarlier: boolean;
}

/** Loads a conversation and its last messages. */
function linesOf(client: DeskClient, id: string, shown: number) {
  return async (signal: AbortSignal): Promise<Lines> => {
    const conversation = await client.conversation(id, signal);
    const from = Math.max(0, conversation.transcriptLength - shown);
    const lines = await client.lines(id, from, signal);
    return { conversation, lines, hasEarlier: from > 0 };
  };
}

interface FailureBannerProps {
  readonly conversation: Conversation;
  readonly isBusy: boolean;
  readonly onRetry: (() => void) | undefined;
}

/** Shows which state has failed and why, and leads to the inspector. */
function FailureBanner({ conversation, isBusy, onRetry }: FailureBannerProps) {
  const { inspector } = useDesk().me;
  const { id, failure } = conversation;
  if (failure === undefined) return null;
  const words = wording.conversation;
  const { error, cause, state } = failure;
  const where = state && wayTo(state);
  const why = [cause ?? error, cause !== null && error !== null && `(${error})`];
  const sentence = words.failure(where || undefined, why.filter(Boolean).join(' '));
  return (
    <div className="failure" role="alert">
      <p>{sentence}</p>
      {inspector !== undefined && (
        <a href={`${inspector}#${encodeURIComponent(id)}`} target="_blank" rel="noreferrer">
          {words.inspect}
        </a>
      )}
      {onRetry && (
        <button type="button" disabled={isBusy} onClick={onRetry}>
          {words.retry}
        </button>
      )}
    </div>
  );
}

interface OwnerBarProps {
  readonly owner: Claim | undefined;
  readonly isMine: boolean;
  /** The queue in which the conversation waits. */
  readonly queue: string | undefined;
  readonly now: number;
  readonly mayAct: boolean;
  /** Whether an act of the operator is running. */
  readonly isBusy: boolean;
  readonly onTakeOver: () => void;
  readonly onHandBack: () => void;
  readonly onAssign: (name: string) => void;
  readonly onKeep: () => void;
}

/** How long before the end of a claim the operator is asked to keep it, in milliseconds. */
const keepMs = 120_000;

/** Shows the owner of the conversation, and the buttons that change it. */
function OwnerBar(props: OwnerBarProps) {
  const { owner, isMine, queue, now, mayAct, isBusy } = props;
  const { onTakeOver, onHandBack, onKeep, onAssign } = props;
  const words = wording.conversation;
  const leftMs = owner ? owner.until - now : 0;
  const sentence = () => {
    if (!owner) return words.freeIn[queue ?? ''] ?? words.free;
    return isMine
      ? words.ownedByYou(durationText(leftMs))
      : words.ownedBy(owner.by, timeText(owner.until, now));
  };
  return (
    <div className="owner-bar" data-mine={isMine || undefined} data-owned={!!owner || undefined}>
      <p>{sentence()}</p>
      {mayAct && isMine && leftMs < keepMs && (
        <button type="button" disabled={isBusy} onClick={onKeep}>
          {words.keep}
        </button>
      )}
      {mayAct && (isMine || !owner) && (
        <form
          className="assign"
          onSubmit={(event) => {
            event.preventDefault();
            onAssign((new FormData(event.currentTarget).get('to') as string).trim());
          }}
        >
          <input
            name="to"
            required
            maxLength={128}
            aria-label={words.assignTo}
            placeholder={words.assignTo}
          />
          <button type="submit" disabled={isBusy}>
            {words.assign}
          </button>
        </form>
      )}
      {mayAct && isMine && (
        <button type="button" className="primary" disabled={isBusy} onClick={onHandBack}>
          {words.handBack}
        </button>
      )}
      {mayAct && !isMine && (
        <button type="button" className="primary" disabled={isBusy} onClick={onTakeOver}>
          {words.takeOver}
        </button>
      )}
    </div>
  );
}

interface TranscriptProps {
  readonly id: string;
  readonly lines: readonly Line[];
  readonly isLoaded: boolean;
  /** Absent when the first message is shown. */
  readonly onEarlier: (() => void) | undefined;
}

/** Pixels from the end within which the log follows new messages. */
const nearEnd = 80;

/** The messages, with their writers. It follows new messages unless the reader has scrolled up. */
function Transcript({ id, lines, isLoaded, onEarlier }: TranscriptProps) {
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
  /** The last edits, by the ids of the first lines. */
  const edits = new Map(lines.map((line) => [line.data?.['replaces'], line]));
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
        <Message
          key={line.id}
          instance={id}
          line={line}
          me={me.name}
          isReplaced={(edits.get(line.data?.['replaces'] ?? line.id) ?? line) !== line}
        />
      ))}
      {part !== '' && (
        <div className="message" data-role="agent" data-part aria-hidden>
          <p className="message-head">{words.isWriting}</p>
          <MessageText role="agent" text={part} />
        </div>
      )}
    </div>
  );
}

interface MessageProps {
  readonly instance: string;
  readonly line: Line;
  readonly me: string;
  /** The contact has edited it: a later line replaces it. */
  readonly isReplaced: boolean;
}

function Message({ instance, line, me, isReplaced }: MessageProps) {
  const { role, text, at, by, data } = line;
  const who = by === undefined ? wording.roles[role] : by === me ? wording.roles.you : by;
  const isEdit = typeof data?.['replaces'] === 'string';
  const words = wording.conversation;
  return (
    <div className="message" data-role={role}>
      <p className="message-head">
        <strong>{who}</strong> <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
        {(isEdit || isReplaced) && ` · ${isReplaced ? words.editedLater : words.edited}`}
      </p>
      <MessageText role={role} text={text} />
      {role === 'contact' && <Attachments instance={instance} data={data} />}
    </div>
  );
}

/** A text with links. Those of agents and operators may have Markdown. */
function MessageText({ role, text }: Pick<Line, 'role' | 'text'>) {
  const pieces = role === 'contact' ? linkedPieces(text) : markdownPieces(text);
  return (
    <div className="message-text" dir="auto">
      {pieces.map(elementOf)}
    </div>
  );
}

function elementOf(piece: Piece, key: number): ReactNode {
  if (typeof piece === 'string') return piece;
  const { name, attributes, children } = piece;
  return createElement(name, { key, ...attributes }, ...children.map(elementOf));
}
