import { useEffect, useRef, useState } from 'react';
import { placeOf } from '../../state/place-of.ts';
import { useLive } from '../../state/use-live.ts';
import { useNow } from '../../state/use-now.ts';
import { wording } from '../../wording.ts';
import { DecisionCard } from '../decisions/decision-card.tsx';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';
import { SidePane } from '../side/side-pane.tsx';
import { useAct } from '../use-act.ts';
import { useShortcuts } from '../use-shortcuts.ts';
import { Composer, type ComposerHandle } from './composer.tsx';
import { FailureBanner } from './failure-banner.tsx';
import { linesMax, linesOf, linesShown } from './lines-of.ts';
import { OwnerBar } from './owner-bar.tsx';
import { Transcript } from './transcript.tsx';

interface ConversationPaneProps {
  readonly id: string;
  readonly hasShortcuts: boolean;
  readonly onBack: () => void;
}

/** One conversation: its messages, what an operator can do, and on the side what is known about it. */
export function ConversationPane({ id, hasShortcuts, onBack }: ConversationPaneProps) {
  const { client, live, me, mayOperate } = useDesk();
  const [shown, setShown] = useState(linesShown);
  const [isSideOpen, setSideOpen] = useState(false);
  const loaded = useLive(live, `conversation ${id} ${shown}`, linesOf(client, id, shown), {
    instance: id,
  });
  const latest = useRef(loaded.value);
  // Earlier messages are added to the ones that are shown.
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
  const owner =
    conversation?.owner && conversation.owner.until > now ? conversation.owner : undefined;
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
            onKeep={() => void act(() => client.renewClaim(id)).then(loaded.reload)}
          />
        )}
        {conversation && (
          <FailureBanner
            conversation={conversation}
            isBusy={isRunning}
            onRetry={
              mayAct
                ? () => void act(() => client.retry(id), words.retried).then(loaded.reload)
                : undefined
            }
          />
        )}
        <Transcript
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
