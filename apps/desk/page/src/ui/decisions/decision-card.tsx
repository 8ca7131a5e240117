import type { Decision, Question } from '@dramaturg/compiler/machine';
import { DecisionForm, HostRequestError } from '@dramaturg/react';
import { useRef, useState } from 'react';
import type { DecisionItem, JournalLine } from '../../service/protocol.ts';
import { exactDurationText, timeText } from '../../state/duration.ts';
import { useLive } from '../../state/use-live.ts';
import { useNow } from '../../state/use-now.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';
import { useAct } from '../use-act.ts';

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

interface DecisionTermsProps {
  readonly item: DecisionItem;
  readonly isCompact: boolean;
}

type Escalation = NonNullable<DecisionItem['escalations']>[number];

/** The approvers of a decision, the approvals and escalations so far, and the data. */
function DecisionTerms({ item, isCompact }: DecisionTermsProps) {
  const { client, live } = useDesk();
  const {
    instance,
    id,
    approvers,
    excluded = [],
    approvals,
    escalations = [],
    data,
  } = item as DecisionItem & {
    readonly data?: unknown;
  };
  const progress = useLive(
    live,
    `progress ${item.decision}`,
    async (signal) => progressIn(await client.lastJournal(instance, signal), id),
    { instance },
  );
  const words = wording.decisions;
  return (
    <div className="terms">
      <h3>{words.deciders}</h3>
      <ul>
        {approvers === undefined && <li>{words.anyone}</li>}
        {approvers && approvers.users.length > 0 && (
          <li>{words.users(approvers.users.join(', '))}</li>
        )}
        {approvers && approvers.roles.length > 0 && (
          <li>{words.roles(approvers.roles.join(', '))}</li>
        )}
        {excluded.map(({ name, because }) => (
          <li key={name}>{words.excluded(name, because)}</li>
        ))}
      </ul>
      {approvals && (
        <>
          <h3>{words.approvals(approvals.given.length, approvals.required)}</h3>
          <ul>
            {approvals.given.map(({ by, at, comment }) => (
              <li key={by}>
                {by}, <time dateTime={at}>{timeText(Date.parse(at))}</time>
                {comment !== undefined && `: ${comment}`}
              </li>
            ))}
          </ul>
        </>
      )}
      {escalations.length > 0 && (
        <>
          <h3>{words.escalations}</h3>
          <ol className="trail">
            {escalations.map((step) => (
              <li key={`${step.at} ${step.to}`}>
                <time dateTime={new Date(step.at).toISOString()}>{timeText(step.at)}</time>
                <span>{escalationText(step)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      {progress.value && progress.value.length > 0 && (
        <>
          <h3>{words.progress}</h3>
          <ol className="trail">
            {progress.value.map((line, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- The journal is only appended to.
              <li key={index}>
                <time dateTime={new Date(line.at).toISOString()}>{timeText(line.at)}</time>
                <span>{sentenceOf(line)}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      {!isCompact && data !== undefined && data !== null && (
        <details>
          <summary>{words.data}</summary>
          <pre tabIndex={0}>{JSON.stringify(data, null, 2)}</pre>
        </details>
      )}
    </div>
  );
}

function escalationText({ to, approves }: Escalation): string {
  const { approvesItself, escalates, escalatesToOthers } = wording.decisions;
  if (approves) return approvesItself;
  return to === undefined ? escalatesToOthers : escalates(to);
}

function sentenceOf(line: JournalLine): string {
  const words = wording.decisions;
  const textAt = (field: string) => (line[field] === undefined ? '' : asText(line[field]));
  switch (line.type) {
    case 'decision.recorded':
      return words.recorded(
        textAt('by'),
        textAt('decision'),
        Number(line['approvals'] ?? 0),
        Number(line['required'] ?? 1),
      );
    case 'decision.refused':
      return words.refused(textAt('by'), textAt('because'));
    case 'decision.escalated':
      return words.escalated(line['to'] === undefined ? '' : `: ${asText(line['to'])}`);
    case 'decision.notified':
      return words.notified(asText(line['to'] ?? line['channel'] ?? ''));
    default:
      return words.requested;
  }
}

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const types = [
  'decision.requested',
  'decision.recorded',
  'decision.refused',
  'decision.escalated',
  'decision.notified',
];

const shownMax = 50;

/**
 * The history of a decision, in order. An approver who edits the data approves a decision with a new id, so the history
 * of the decision before is included. Spec: docs/formats/asl.md#approval-debate-checkpoint
 */
export function progressIn(lines: readonly JournalLine[], id: string): readonly JournalLine[] {
  const known = lines.filter(({ type }) => types.includes(type));
  const ids = new Set<unknown>([id]);
  // Goes backwards, so that a chain of edits is followed to its beginning.
  for (let index = known.length - 1; index > 0; index -= 1) {
    const [before, line] = [known[index - 1]!, known[index]!];
    const isAskedAgain =
      line.type === 'decision.requested' &&
      ids.has(line['id']) &&
      before.type === 'decision.recorded' &&
      before.state === line.state &&
      before.at === line.at;
    if (isAskedAgain) ids.add(before['id']);
  }
  return known.filter((line) => ids.has(line['id'])).slice(-shownMax);
}
