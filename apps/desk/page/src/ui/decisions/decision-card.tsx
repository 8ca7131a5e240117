import type { Decision, Question } from '@dramaturg/compiler/machine';
import { DecisionForm, HostRequestError } from '@dramaturg/react';
import { useRef, useState } from 'react';
import type { DecisionItem } from '../../service/protocol.ts';
import { exactDurationText } from '../../state/duration.ts';
import { useLive } from '../../state/use-live.ts';
import { useNow } from '../../state/use-now.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';
import { useAct } from '../use-act.ts';
import { DecisionTerms } from './decision-terms.tsx';

interface DecisionCardProps {
  /** The id of the decision in requests. */
  readonly decision: string;
  /** Whether the card is next to its conversation: it then omits what is shown there. */
  readonly isCompact?: boolean;
  readonly onOpen?: (conversation: string) => void;
  readonly onBack?: () => void;
}

/** A decision with its approvers, deadline, history and form. */
export function DecisionCard({ decision, isCompact = false, onOpen, onBack }: DecisionCardProps) {
  const { client, live, me, mayOperate, isKnown } = useDesk();
  const now = useNow(1_000);
  const { act, isRunning } = useAct();
  const [decided, setDecided] = useState<string>();
  const loaded = useLive(live, `decision ${decision}`, (signal) =>
    client.decision(decision, signal),
  );
  const heading = useRef<HTMLHeadingElement>(null);
  const words = wording.decisions;
  const item = loaded.value;
  const isGone = loaded.error instanceof HostRequestError && loaded.error.status === 404;
  const decide = async (_: string, given: Decision) => {
    const isDone = await act(() => client.decide(decision, given), words.decided(given.decision));
    if (isDone) {
      setDecided(given.decision);
      heading.current?.focus();
    }
    loaded.reload();
  };
  return (
    <article className="decision" data-compact={isCompact || undefined}>
      <header className="view-head">
        {onBack && (
          <button
            type="button"
            className="icon back-button"
            aria-label={wording.conversation.back}
            onClick={onBack}
          >
            ←
          </button>
        )}
        <h2 tabIndex={-1} ref={heading}>
          {isCompact ? wording.queues.decisions : (item?.definition.name ?? decision)}
        </h2>
        {item && <Deadline until={item.until} now={now} />}
        {item && onOpen && (
          <button type="button" onClick={() => onOpen(item.instance)}>
            {words.openConversation}
          </button>
        )}
      </header>
      {decided !== undefined && <p role="status">{words.decided(decided)}</p>}
      {isGone && decided === undefined && <p role="status">{words.gone}</p>}
      {loaded.error !== undefined && !isGone && (
        <Problem error={loaded.error} onRetry={loaded.reload} />
      )}
      {item && !isGone && (
        <>
          <p className="muted">{words.decideAs(me.name)}</p>
          <fieldset disabled={isRunning}>
            <DecisionForm
              key={item.key}
              question={questionOf(item)}
              onDecide={mayOperate ? (key, given) => void decide(key, given) : undefined}
              identity={isKnown ? me : { name: me.name }}
              labels={words.form}
            />
          </fieldset>
          <DecisionTerms item={item} isCompact={isCompact} />
        </>
      )}
    </article>
  );
}

/** The service lists the ids of options, the form wants options. */
function questionOf({ options, ...item }: DecisionItem): Question {
  return { ...item, options: options.map((id) => ({ id })) } as unknown as Question;
}

interface DeadlineProps {
  /** Milliseconds since 1970 UTC. */
  readonly until: number | undefined;
  readonly now: number;
}

const soonMs = 3_600_000;

/** Shows the remaining time. */
export function Deadline({ until, now }: DeadlineProps) {
  const { due, overdue, noDeadline } = wording.decisions;
  if (until === undefined) return <span className="deadline muted">{noDeadline}</span>;
  const leftMs = until - now;
  return (
    <span className="deadline" data-soon={leftMs < soonMs || undefined}>
      {leftMs < 0 ? overdue(exactDurationText(-leftMs)) : due(exactDurationText(leftMs))}
    </span>
  );
}
