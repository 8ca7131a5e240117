import type { Adapter } from 'lowdb';
import { join } from 'node:path';
import type { Json } from '@dramaturg/compiler';
import { checksum } from '../checksum.ts';
import type { StoreRecord } from '../contract.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { systemCodeOf } from '../errors.ts';
import { MutableRecord, toStoreRecord, type RecordState, firstSummary } from '../record-state.ts';
import { createWrite } from '../write.ts';
import { DamageError } from '../damage-error.ts';
import { formatRanges, type LineRanges, linesIn, parseRanges } from './line-ranges.ts';

/** The content of `record.json`: the record, and which writes and lines it includes. */
export interface RecordFileContent {
  /** The number of the last write that it includes. */
  readonly writes: number;
  /** The number of the write that created the record. */
  readonly firstWrite: number;
  /** The epoch of the owner that wrote it. */
  readonly epoch: number;
  readonly journal: LineRanges;
  readonly transcript: LineRanges;
  readonly state: RecordState;
}

export const recordFileName = 'record.json';

/**
 * The file of a record, as an adapter of lowdb: formatted JSON with a checksum. It replaces lowdb's own `JSONFile`,
 * which flushes neither the file nor its folder, so that a power cut could leave an empty record.
 *
 * A person who changes the file removes the line `sum`; the file is then accepted as it is.
 */
export class RecordFile implements Adapter<RecordFileContent | null> {
  readonly #path: string;
  readonly #files: FileSystem;
  readonly #draft: () => string;
  /** Of the text that was written last. */
  length = 0;

  /** @param draft names a new path on the same device, for an incomplete file */
  constructor(folder: string, files: FileSystem, draft: () => string) {
    this.#path = join(folder, recordFileName);
    this.#files = files;
    this.#draft = draft;
  }

  /**
   * @returns null when there is no file
   * @throws `DamageError`
   */
  async read(): Promise<RecordFileContent | null> {
    try {
      return parseContent((await this.#files.readFile(this.#path)).toString());
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  async write(stored: RecordFileContent | null): Promise<void> {
    if (stored === null) return;
    const text = formatContent(stored);
    await replaceFile(this.#files, this.#draft(), this.#path, [text]);
    this.length = text.length;
  }
}

function formatContent(stored: RecordFileContent): string {
  const written = JSON.stringify(fieldsOf(stored), null, 2);
  return withSum(checksum(written), written);
}

/** The file: the fields as formatted JSON, and their checksum before them. */
function withSum(sum: string, written: string): string {
  return `{\n  "sum": ${JSON.stringify(sum)},${written.slice(1)}\n`;
}

function parseContent(text: string): RecordFileContent {
  let content: Json;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw new DamageError('Its file record.json is not JSON.', { cause });
  }
  if (content === null || typeof content !== 'object' || Array.isArray(content)) {
    throw new DamageError('Its file record.json is not a record.');
  }
  const { sum, ...rest } = content as { readonly [field: string]: Json };
  if (sum !== undefined && !isAsWritten(text, sum, rest)) {
    throw new DamageError(
      'Its file record.json differs from what was written: the checksum does not match.',
    );
  }
  try {
    return checkedContent(rest as unknown as RecordFileFields);
  } catch (cause) {
    if (cause instanceof DamageError) throw cause;
    throw new DamageError('Its file record.json is not a record.', { cause });
  }
}

/** Compares the text as a whole, so that a change of a space is noticed, too. */
function isAsWritten(text: string, sum: Json, rest: object): boolean {
  const written = JSON.stringify(rest, null, 2);
  return sum === checksum(written) && text === withSum(sum, written);
}

/** The fields of the file, in the order in which they are most useful to people. */
type RecordFileFields = Omit<StoreRecord, 'journalLength' | 'transcriptLength'> & {
  readonly journal: readonly string[];
  readonly transcript: readonly string[];
  readonly writes: number;
  readonly firstWrite: number;
  readonly epoch: number;
};

function fieldsOf(content: RecordFileContent): RecordFileFields {
  const { writes, firstWrite, epoch, state } = content;
  const {
    journalLength: _,
    transcriptLength: __,
    snapshot,
    parts,
    ...fields
  } = toStoreRecord(state);
  const journal = formatRanges(content.journal);
  const transcript = formatRanges(content.transcript);
  return { ...fields, journal, transcript, writes, firstWrite, epoch, snapshot, parts };
}

function checkedContent(content: RecordFileFields): RecordFileContent {
  const { writes, firstWrite, epoch, ...created } = content;
  const journal = parseRanges(created.journal);
  const transcript = parseRanges(created.transcript);
  const write = createWrite({ ...created, journal: [], transcript: [] });
  const { snapshot, parts, outbox } = MutableRecord.created(write);
  return {
    writes: checkedCount(writes),
    firstWrite: checkedCount(firstWrite),
    epoch: checkedCount(epoch),
    journal,
    transcript,
    state: {
      snapshot,
      parts,
      outbox,
      summary: {
        ...firstSummary(write),
        journalLength: linesIn(journal),
        transcriptLength: linesIn(transcript),
      },
    },
  };
}

function checkedCount(count: number): number {
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new DamageError(`${String(count)} is not a count.`);
}
