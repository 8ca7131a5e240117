import { createHash } from 'node:crypto';
import type { NewRecord } from '../contract.ts';
import { DamageError } from '../damage-error.ts';
import type { FeedEntry } from '../feed.ts';
import { toStoreRecord } from '../record-state.ts';
import { HeldRecord } from '../records.ts';
import { sliceLength } from '../slices.ts';
import { createWrite } from '../write.ts';
import type { Format } from './checked-file.ts';

/** The fields of a record's file, in addition to those of `NewRecord`. */
interface RecordFields extends NewRecord {
  /** The number of the last write that the file includes. */
  readonly lastWrite: number;
  /** The writes of its journal lines: "<number>:<lines>" for each. */
  readonly feed: string;
}

/** The file of a record with all of its lines. */
export const recordFormat: Format<HeldRecord> = {
  toParts: (record) => {
    const {
      journalLength: _,
      transcriptLength: __,
      snapshot,
      parts,
      ...fields
    } = toStoreRecord(record);
    const { lastWrite, lines, entries } = record;
    const feed = entries.map((entry) => `${entry.position}:${entry.lines}`).join(' ');
    const head = JSON.stringify({ ...fields, lastWrite, feed, snapshot, parts }, null, 2);
    const { journal, transcript } = lines;
    return [
      head.slice(0, -2),
      ...rows('journal', journal),
      ...rows('transcript', transcript),
      '\n}',
    ];
  },
  fromFields: (fields) => {
    const { lastWrite, feed, ...rest } = fields as RecordFields;
    const write = createWrite(rest);
    if (!Number.isSafeInteger(lastWrite)) throw new DamageError('Its last write is not a number.');
    return new HeldRecord(write, lastWrite, entriesIn(feed, rest, write.journal.length));
  },
};

/** A field of the object with lines: each is already JSON, and is one line of the file. */
function rows(field: string, lines: readonly string[]): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < lines.length; at += sliceLength)
    parts.push(`${at === 0 ? '' : ','}\n    ${lines.slice(at, at + sliceLength).join(',\n    ')}`);
  return [`,\n  "${field}": [`, ...parts, parts.length === 0 ? ']' : '\n  ]'];
}

function entriesIn(feed: string, { id, kind }: NewRecord, length: number): FeedEntry[] {
  let from = 0;
  const entries = feed
    .split(' ')
    .filter(Boolean)
    .map((entry) => {
      const [position = NaN, lines = NaN] = entry.split(':').map(Number);
      const found = { position, id, kind, from, lines };
      from += lines;
      return found;
    });
  if (from !== length) throw new DamageError('Its feed does not fit the lines of its journal.');
  return entries;
}

/**
 * The name of the file of a record, without its ending. An id that is a valid name in every file system is used unchanged, so
 * that people find it. For any other id, the name consists of its allowed characters and its hash. The name has no slash, no dot
 * and no capital letters, so no id leaves the store's folder (H8) and no two ids share a file.
 */
export function fileNameOf(id: string): string {
  if (isPortableName(id)) return id;
  const readable = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40);
  return `${readable}~${createHash('sha256').update(id).digest('hex').slice(0, 40)}`;
}

/** Whether an id is a valid file name everywhere. `~` is excluded, so that it does not look like a hashed name. */
function isPortableName(id: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,99}$/.test(id) && !deviceName.test(id);
}

/** On Windows these names open devices, such as a printer. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)$/;
