import { isRecord } from '@dramaturg/compiler';
import type { ReportedDelivery } from '../instance/delivery-reports.ts';
import type { TranscriptLine } from '../instance/event.ts';
import type { StoreReader } from '../store/contract.ts';
import { stateOf } from '../instance/snapshot-parts.ts';

/** Adds to each line what was reported about the delivery of its message. Stored lines never change. */
export async function withReports(
  store: Pick<StoreReader, 'read'>,
  id: string,
  lines: readonly TranscriptLine[],
): Promise<readonly TranscriptLine[]> {
  const sent = lines.some(({ role }) => role === 'agent' || role === 'manual');
  const record = sent ? await store.read(id) : undefined;
  if (!record || !isRecord(record.snapshot)) return lines;
  const { reports = [] } = stateOf(record);
  const byMessage = new Map(
    reports.map(({ message, ...delivery }) => [message, delivery] as const),
  );
  return lines.map((line) => {
    const delivery: ReportedDelivery | undefined = byMessage.get(line.id);
    return delivery ? { ...line, delivery } : line;
  });
}
