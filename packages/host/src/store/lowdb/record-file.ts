import type { Adapter } from 'lowdb';
import { readFileSync } from 'node:fs';
import type { Json } from '@dramaturg/compiler';
import { checkedTime } from '../check.ts';
import { checksum } from '../checksum.ts';
import type { StoreRecord } from '../contract.ts';
import type { Disk } from '../disk/disk.ts';
import { systemCodeOf } from '../errors.ts';
import { HeldRecord, recordOf, type RecordState, summaryOf } from '../state.ts';
import { createWrite } from '../write.ts';
import { DamageError } from '../damage-error.ts';
import type { Extent } from './extent.ts';

/** What the file of a record holds: the record, and which writes and lines that includes. */
export interface StoredRecord {
  /** The number of the last write in it. */
  readonly writes: number;
  readonly journal: Extent;
  readonly transcript: Extent;
  readonly state: RecordState;
}

/**
 * The file of a record, as an adapter of lowdb: pretty JSON that people and their tools can read, with a checksum. It is
 * ours because lowdb's own, `JSONFile`, flushes neither the file nor its folder, and writes through one temporary name:
 * after a power cut the record could be empty.
 *
 * A person who changes the file takes the line `sum` out, and is believed.
 */
export class RecordFile implements Adapter<StoredRecord | null> {
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
  async read(): Promise<StoredRecord | null> {
    const text = textOf(this.#path);
    return text === undefined ? null : storedIn(text);
  }

  async write(stored: StoredRecord | null): Promise<void> {
    if (stored === null) return;
    const content = contentOf(stored);
    const sum = checksum(JSON.stringify(content));
    const text = `${JSON.stringify({ sum, ...content }, null, 2)}\n`;
    await this.#disk.replace(this.#path, text, 'record');
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function storedIn(text: string): StoredRecord {
  let content: Json;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw new DamageError('Its file is not JSON.', { cause });
  }
  const { sum, ...rest } = content as { readonly sum?: string };
  if (sum !== undefined && sum !== checksum(JSON.stringify(rest))) {
    throw new DamageError('Its file is not what was written: its checksum is another.');
  }
  try {
    return checked(rest as Content);
  } catch (cause) {
    throw new DamageError('Its file is not a record.', { cause });
  }
}

/** The file's fields, in the order in which a person looks for them. */
type Content = Omit<StoredRecord, 'state'> &
  Omit<StoreRecord, 'journalLength' | 'transcriptLength'>;

function contentOf({ writes, journal, transcript, state }: StoredRecord): Content {
  const { journalLength: _, transcriptLength: __, snapshot, ...fields } = recordOf(state);
  return { ...fields, journal, transcript, writes, snapshot };
}

function checked(content: Content): StoredRecord {
  const { writes, journal, transcript, revision, updatedAt, ...created } = content;
  const write = createWrite(created);
  const { snapshot, mailbox, outbox } = HeldRecord.created(write);
  return {
    writes: checkedCount(writes),
    journal: checkedExtent(journal),
    transcript: checkedExtent(transcript),
    state: {
      snapshot,
      mailbox,
      outbox,
      summary: {
        ...summaryOf(write),
        revision: checkedCount(revision),
        updatedAt: checkedTime(updatedAt, 'time of the change'),
        journalLength: journal.lines,
        transcriptLength: transcript.lines,
      },
    },
  };
}

function checkedExtent({ lines, bytes }: Extent): Extent {
  return { lines: checkedCount(lines), bytes: checkedCount(bytes) };
}

function checkedCount(count: number): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new DamageError(`${String(count)} is not a count.`);
}
