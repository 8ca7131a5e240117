import type { DecisionItem, JournalLine } from '../../service/protocol.ts';
import { timeText } from '../../state/duration.ts';
import { useLive } from '../../state/use-live.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';

interface DecisionTermsProps {
  readonly item: DecisionItem;
  readonly isCompact: boolean;
}

type Escalation = NonNullable<DecisionItem['escalations']>[number];

/** The approvers of a decision, the approvals and escalations so far, and the data. */
export function DecisionTerms({ item, isCompact }: DecisionTermsProps) {
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
