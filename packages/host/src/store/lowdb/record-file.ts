import type { Adapter } from 'lowdb';
import { readFileSync } from 'node:fs';
import type { Json } from '@dramaturg/compiler';
import { checkedTime } from '../check.ts';
import { checksum } from '../checksum.ts';
import type { StoreRecord } from '../contract.ts';
import type { Disk } from '../disk/disk.ts';
import { systemCodeOf } from '../errors.ts';
import { MutableRecord, toStoreRecord, type RecordState, firstSummary } from '../record-state.ts';
import { createWrite } from '../write.ts';
import { DamageError } from '../damage-error.ts';
import type { LineExtent } from './line-extent.ts';

/** The content of `record.json`: the record, and which writes and lines it includes. */
export interface RecordFileContent {
  /** The number of the last write that it includes. */
  readonly writes: number;
  readonly journal: LineExtent;
  readonly transcript: LineExtent;
  readonly state: RecordState;
}

/**
 * The file of a record, as an adapter of lowdb: formatted JSON with a checksum. It replaces lowdb's own `JSONFile`,
 * which flushes neither the file nor its folder, so that a power cut could leave an empty record.
 *
 * A person who changes the file removes the line `sum`; the file is then accepted as it is.
 */
export class RecordFile implements Adapter<RecordFileContent | null> {
  readonly #path: string;
  readonly #disk: Disk;

  constructor(path: string, disk: Disk) {
    this.#path = path;
    this.#disk = disk;
  }

  /**
   * @returns null when there is no file
   * @throws `DamageError`
   */
  async read(): Promise<RecordFileContent | null> {
    const text = readText(this.#path);
    return text === undefined ? null : parseContent(text);
  }

  async write(stored: RecordFileContent | null): Promise<void> {
    if (stored === null) return;
    const content = fieldsOf(stored);
    const sum = checksum(JSON.stringify(content));
    const text = `${JSON.stringify({ sum, ...content }, null, 2)}\n`;
    await this.#disk.replace(this.#path, text, 'record');
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseContent(text: string): RecordFileContent {
  let content: Json;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw new DamageError('Its file record.json is not JSON.', { cause });
  }
  const { sum, ...rest } = content as { readonly sum?: string };
  if (sum !== undefined && sum !== checksum(JSON.stringify(rest))) {
    throw new DamageError(
      'Its file record.json differs from what was written: the checksum does not match.',
    );
  }
  try {
    return checkedContent(rest as RecordFileFields);
  } catch (cause) {
    throw new DamageError('Its file record.json is not a record.', { cause });
  }
}

/** The fields of the file, in the order in which they are most useful to people. */
type RecordFileFields = Omit<RecordFileContent, 'state'> &
  Omit<StoreRecord, 'journalLength' | 'transcriptLength'>;

function fieldsOf({ writes, journal, transcript, state }: RecordFileContent): RecordFileFields {
  const { journalLength: _, transcriptLength: __, snapshot, ...fields } = toStoreRecord(state);
  return { ...fields, journal, transcript, writes, snapshot };
}

function checkedContent(content: RecordFileFields): RecordFileContent {
  const { writes, journal, transcript, revision, updatedAt, ...created } = content;
  const write = createWrite(created);
  const { snapshot, mailbox, outbox } = MutableRecord.created(write);
  return {
    writes: checkedCount(writes),
    journal: checkedExtent(journal),
    transcript: checkedExtent(transcript),
    state: {
      snapshot,
      mailbox,
      outbox,
      summary: {
        ...firstSummary(write),
        revision: checkedCount(revision),
        updatedAt: checkedTime(updatedAt, 'time of the change'),
        journalLength: journal.lines,
        transcriptLength: transcript.lines,
      },
    },
  };
}

function checkedExtent({ lines, bytes }: LineExtent): LineExtent {
  return { lines: checkedCount(lines), bytes: checkedCount(bytes) };
}

function checkedCount(count: number): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new DamageError(`${String(count)} is not a count.`);
}
