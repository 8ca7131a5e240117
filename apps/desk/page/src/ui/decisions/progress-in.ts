import type { JournalLine } from '../../service/protocol.ts';

const types = [
  'decision.requested',
  'decision.recorded',
  'decision.refused',
  'decision.escalated',
  'decision.notified',
];

const shownMax = 50;

/** What happened to a decision so far, in order. Spec: docs/formats/asl.md#events */
export function progressIn(lines: readonly JournalLine[], id: string): readonly JournalLine[] {
  return lines.filter((line) => types.includes(line.type) && line['id'] === id).slice(-shownMax);
}
