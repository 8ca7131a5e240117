import type { JournalLine } from '../../service/protocol.ts';

const types = [
  'decision.requested',
  'decision.recorded',
  'decision.refused',
  'decision.escalated',
  'decision.notified',
];

const shownMax = 50;

/**
 * What happened to a decision so far, in order. An approver who edits the data approves a decision with a new id: what happened to
 * the one before belongs to it. Spec: docs/formats/asl.md#approval-debate-checkpoint
 */
export function progressIn(lines: readonly JournalLine[], id: string): readonly JournalLine[] {
  const known = lines.filter(({ type }) => types.includes(type));
  const ids = new Set<unknown>([id]);
  // Backwards, so that a chain of edits is followed to its beginning.
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
