import { createHash } from 'node:crypto';
import type { Json } from '@dramaturg/compiler';
import type { NewRecord } from '../contract.ts';
import { DamageError } from '../damage-error.ts';
import type { FeedEntry } from '../feed.ts';
import { HeldRecord } from '../records.ts';
import { type Pace, sliceLength } from '../slices.ts';
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
  toParts: ({ summary, snapshot, parts, outbox, lastWrite, lines, entries }) => {
    const { journalLength: _, transcriptLength: __, ...fields } = summary;
    const letters = Array.from(outbox, ([id, body]) => ({ id, body: JSON.parse(body) as Json }));
    const feed = entries.map((entry) => `${entry.position}:${entry.lines}`).join(' ');
    const head = JSON.stringify({ ...fields, outbox: letters, lastWrite, feed }, null, 2);
    // Writes may change the record while its parts are made.
    const [journal, transcript] = [[...lines.journal], [...lines.transcript]];
    return partsOf(head, snapshot, [...parts], { journal, transcript });
  },
  fromFields: (fields) => {
    const { lastWrite, feed, ...rest } = fields as RecordFields;
    const write = createWrite(rest);
    if (!Number.isSafeInteger(lastWrite)) throw new DamageError('Its last write is not a number.');
    return new HeldRecord(write, lastWrite, entriesIn(feed, rest, write.journal.length));
  },
  fromBytes: async (bytes, pace) => {
    const head = bytes.indexOf(rowsStart('journal'));
    if (head < 0) return undefined;
    const fields = JSON.parse(`${bytes.toString('utf8', 0, head)}}`) as RecordFields;
    await pace(head);
    const { lastWrite, feed, ...rest } = fields;
    const write = createWrite(rest);
    await pace(head);
    const journal = await readRows(bytes, head, 'journal', pace);
    const transcript = journal && (await readRows(bytes, journal.end, 'transcript', pace));
    if (!transcript || bytes.toString('latin1', transcript.end) !== '\n}\n') return undefined;
    const lines = { journal: journal.rows, transcript: transcript.rows };
    return new HeldRecord(
      { ...write, ...lines },
      lastWrite,
      entriesIn(feed, rest, journal.rows.length),
    );
  },
};

function* partsOf(
  head: string,
  snapshot: string,
  parts: readonly (readonly [key: string, value: string])[],
  { journal, transcript }: HeldRecord['lines'],
): Generator<string> {
  yield head.slice(0, -2);
  yield `,\n  "snapshot": ${indented(snapshot, 2)},\n  "parts": [`;
  for (const [at, [key, text]] of parts.entries()) {
    const value = indented(text, 6);
    yield `${at === 0 ? '' : ','}\n    {\n      "key": ${JSON.stringify(key)},\n      "value": ${value}\n    }`;
  }
  yield parts.length === 0 ? ']' : '\n  ]';
  yield* rows('journal', journal);
  yield* rows('transcript', transcript);
  yield '\n}';
}

/** Indenting a longer value would block the event loop. */
const longestIndented = 100_000;

/** A JSON text for people. Strings have no line breaks in it. */
function indented(text: string, by: number): string {
  if (text.length > longestIndented) return text;
  return JSON.stringify(JSON.parse(text), null, 2).replaceAll('\n', `\n${' '.repeat(by)}`);
}

/** A field of the object with lines: each is already JSON, and is one line of the file. */
function* rows(field: string, lines: readonly string[]): Generator<string> {
  yield rowsStart(field);
  for (let at = 0; at < lines.length; at += sliceLength)
    yield `${at === 0 ? '' : ','}\n    ${lines.slice(at, at + sliceLength).join(',\n    ')}`;
  yield lines.length === 0 ? ']' : '\n  ]';
}

function rowsStart(field: string): string {
  return `,\n  "${field}": [`;
}

/** Reads what `rows` has written. @returns undefined when something else is there */
async function readRows(bytes: Buffer, start: number, field: string, pace: Pace) {
  const isAt = (text: string) => bytes.toString('latin1', at, at + text.length) === text;
  const rowsRead: string[] = [];
  let at = start;
  if (!isAt(rowsStart(field))) return undefined;
  for (at += rowsStart(field).length; isAt('\n    ');) {
    const end = bytes.indexOf('\n', at + 1);
    const isLast = bytes[end - 1] !== comma;
    rowsRead.push(bytes.toString('utf8', at + '\n    '.length, isLast ? end : end - 1));
    await pace(end - at);
    at = end;
    if (isLast) break;
  }
  const close = rowsRead.length === 0 ? ']' : '\n  ]';
  return isAt(close) ? { rows: rowsRead, end: at + close.length } : undefined;
}

const comma = ','.charCodeAt(0);

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
