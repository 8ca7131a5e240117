import type { Json } from '@dramaturg/compiler';
import type { RecordSummary, Store, StoreReader } from '../contract.ts';
import { unknownRecord } from '../errors.ts';

/** Lines of each kind that are read and written at once, unless the record has few revisions. */
const linesPerWrite = 200;
/** A store reads no more lines at once. */
const linesPerRead = 10_000;

/**
 * How a record is written: its creation and the commits that append the rest of its lines end at the revision that it has in
 * the source. So the revision and the numbers of lines say which writes are stored already.
 */
interface Plan {
  /** The number of writes, the creation included. */
  readonly writes: number;
  /** Lines of each kind in one write. */
  readonly lines: number;
}

function planOf({ revision, journalLength, transcriptLength }: RecordSummary): Plan {
  const longest = Math.max(journalLength, transcriptLength);
  const lines = Math.max(linesPerWrite, Math.ceil(longest / revision));
  return { writes: Math.max(1, Math.ceil(longest / lines)), lines };
}

/**
 * Copies a record with its lines. Every write of it can be the last one before the process is killed.
 *
 * @param begun whether an earlier run may have written some of it, or all of it
 */
export async function copyRecord(
  source: StoreReader,
  target: Store,
  summary: RecordSummary,
  begun: boolean,
): Promise<void> {
  const { id, revision } = summary;
  const plan = planOf(summary);
  const first = revision - plan.writes + 1;
  let written = begun ? await countWritten(target, summary, plan) : 0;
  if (written === 0) {
    const record = await source.read(id);
    if (record === undefined) throw unknownRecord(id);
    const { journalLength: _, transcriptLength: __, ...fields } = record;
    const lines = await readLinesOf(source, id, 0, plan.lines);
    await target.create({ ...fields, ...lines, revision: first });
    written = 1;
  }
  for (; written < plan.writes; written += 1) {
    const lines = await readLinesOf(source, id, written * plan.lines, plan.lines);
    await target.commit({ id, expectedRevision: first + written - 1, ...lines });
  }
}

/** The number of writes that are stored. A record that the source does not have in this form is removed. */
async function countWritten(target: Store, summary: RecordSummary, plan: Plan): Promise<number> {
  const found = await target.read(summary.id);
  if (found === undefined) return 0;
  const written = found.revision - (summary.revision - plan.writes);
  const expected = (length: number) => Math.min(length, written * plan.lines);
  const isOfThisCopy =
    written >= 1 &&
    written <= plan.writes &&
    found.updatedAt === summary.updatedAt &&
    found.journalLength === expected(summary.journalLength) &&
    found.transcriptLength === expected(summary.transcriptLength);
  if (isOfThisCopy) return written;
  await target.delete(summary.id);
  return 0;
}

async function readLinesOf(source: StoreReader, id: string, from: number, count: number) {
  const journal: Json[] = [];
  const transcript: Json[] = [];
  for (let done = 0; done < count; done += linesPerRead) {
    const range = { from: from + done, limit: Math.min(linesPerRead, count - done) };
    for (const line of await source.journal(id, range)) journal.push(line);
    for (const line of await source.transcript(id, range)) transcript.push(line);
  }
  return { journal, transcript };
}
