import { sumOfLetter, sumOfSnapshot } from '@dramaturg/host/store';
import type { Value } from '../connection/database.ts';
import { type RecordRow, storedName, sumOfLines, sumOfPart } from '../rows.ts';
import { finishedRow, type Group } from './group.ts';

/** The header of a group: see the function `store_group`. */
export interface GroupHeader {
  /** The fencing token of the lease. */
  readonly token: string;
  readonly claim: string;
  readonly previous: string;
  readonly id: string;
  /** The highest position in the feed that a row has or had. */
  readonly lastPosition: number;
}

/** The arguments of `store_group`, in its order. */
export function groupValues(
  { token, claim, previous, id, lastPosition }: GroupHeader,
  group: Group,
): Value[] {
  return [
    token,
    claim,
    previous,
    id,
    lastPosition,
    integerArray(group.deleted, (number) => number),
    ...recordValues(group),
    ...snapshotValues(group),
    ...partValues(group),
    ...letterValues(group),
    ...lineValues(group),
    integerArray(group.marks, ({ number }) => number),
    textArray(group.marks, ({ reason }) => reason.replaceAll('\0', '␀')),
  ];
}

const storing = `{schema}.store_group(${Array.from({ length: 60 }, (_, index) => `$${index + 1}`).join(', ')})`;

/** The statement that takes these values. Its transaction is flushed before the answer, if the server is configured so. */
export const storeGroupStatement = `SELECT ${storing} AS is_new`;

/** The statement without a wait for the flush. The server flushes within three times its `wal_writer_delay`. */
export const storeUnflushedStatement = `SELECT ${storing} AS is_new, set_config('synchronous_commit', 'off', true)`;

function recordValues({ changes }: Group): Value[] {
  const all = [...changes.values()];
  const added = all.filter(({ base }) => base === undefined);
  const changed = [...added, ...all.filter(({ base }) => base !== undefined)];
  const rows = changed.map(finishedRow);
  const created = rows.slice(0, added.length);
  const texts = (of: readonly RecordRow[], name: (row: RecordRow) => string | null) =>
    textArray(of, (row) => {
      const given = name(row);
      return given === null ? null : storedName(given);
    });
  return [
    integerArray(created, ({ number }) => number),
    texts(created, ({ id }) => id),
    texts(created, ({ kind }) => kind),
    texts(created, ({ contact }) => contact),
    texts(created, ({ parent }) => parent),
    texts(created, ({ definition }) => definition),
    texts(created, ({ version }) => version),
    floatArray(created, ({ created_at }) => created_at),
    integerArray(rows, ({ number }) => number),
    integerArray(changed, ({ base }) => base ?? null),
    floatArray(rows, ({ updated_at }) => updated_at),
    texts(rows, ({ status }) => status),
    booleanArray(rows, ({ ended }) => ended),
    integerArray(rows, ({ revision }) => revision),
    textArray(rows, ({ timers }) => timers),
    floatArray(rows, ({ due_at }) => due_at),
    integerArray(rows, ({ questions }) => questions),
    texts(rows, ({ queue }) => queue),
    floatArray(rows, ({ queued_at }) => queued_at),
    texts(rows, ({ owner }) => owner),
    floatArray(rows, ({ acted_at }) => acted_at),
    integerArray(rows, ({ last_letter }) => last_letter),
    integerArray(rows, ({ letter_count }) => letter_count),
    integerArray(rows, ({ last_part }) => last_part),
    integerArray(rows, ({ part_count }) => part_count),
    integerArray(rows, ({ journal_length }) => journal_length),
    integerArray(rows, ({ transcript_length }) => transcript_length),
    integerArray(rows, ({ sum }) => sum),
  ];
}

function snapshotValues({ changes }: Group): Value[] {
  const rows: { readonly record: number; readonly text: string }[] = [];
  for (const [record, { snapshot }] of changes)
    if (snapshot !== undefined) rows.push({ record, text: snapshot });
  return [
    integerArray(rows, ({ record }) => record),
    integerArray(rows, ({ record, text }) => sumOfSnapshot(record, text)),
    textArray(rows, ({ text }) => text),
  ];
}

interface PlacedText {
  readonly record: number;
  readonly place: number;
  readonly name: string;
  readonly text: string;
}

function partValues({ changes }: Group): Value[] {
  const removed = placesOf(changes, 'removedParts');
  const set = textsOf(changes, 'parts');
  return [
    ...removed,
    ...placedValues(set, ({ record, place, name, text }) => sumOfPart(record, place, name, text)),
  ];
}

function letterValues({ changes }: Group): Value[] {
  const removed = placesOf(changes, 'removedLetters');
  const added = textsOf(changes, 'letters');
  return [
    ...removed,
    ...placedValues(added, ({ record, place, name, text }) =>
      sumOfLetter(record, place, name, text),
    ),
  ];
}

function placesOf(changes: Group['changes'], kind: 'removedParts' | 'removedLetters'): Value[] {
  const places: { readonly record: number; readonly place: number }[] = [];
  for (const [record, change] of changes)
    for (const place of change[kind]) places.push({ record, place });
  return [integerArray(places, ({ record }) => record), integerArray(places, ({ place }) => place)];
}

function textsOf(changes: Group['changes'], kind: 'parts' | 'letters'): PlacedText[] {
  const texts: PlacedText[] = [];
  for (const [record, change] of changes)
    for (const [name, { place, text }] of change[kind]) texts.push({ record, place, name, text });
  return texts;
}

function placedValues(rows: readonly PlacedText[], sumOf: (row: PlacedText) => number): Value[] {
  return [
    integerArray(rows, ({ record }) => record),
    integerArray(rows, ({ place }) => place),
    textArray(rows, ({ name }) => storedName(name)),
    integerArray(rows, sumOf),
    textArray(rows, ({ text }) => text),
  ];
}

function lineValues({ changes }: Group): Value[] {
  const rows = Array.from(changes, ([record, { lines }]) =>
    lines.map(({ kind, first, texts, position }) => {
      const count = position === undefined ? null : texts.length;
      const text = `[${texts.join(',')}]`;
      return { record, kind, first, position: position ?? null, count, text };
    }),
  ).flat();
  return [
    integerArray(rows, ({ record }) => record),
    textArray(rows, ({ kind }) => kind),
    integerArray(rows, ({ first }) => first),
    integerArray(rows, ({ position }) => position),
    integerArray(rows, ({ count }) => count),
    integerArray(rows, ({ record, kind, first, text }) => sumOfLines(record, kind, first, text)),
    textArray(rows, ({ text }) => text),
  ];
}

/**
 * Arrays in the binary format of Postgres, each from one column of rows. A group of writes is a few arrays with large strings,
 * which need no escaping in this format. They are built without intermediate lists, because a small group has up to sixty of
 * them. An array without values is null, which the server does not have to read. Its elements are null, too.
 */

const int8 = 20;
const text = 25;
const float8 = 701;
const bool = 16;

/** The header: dimensions, whether it has nulls, the type, the length, the lower bound. */
const headerLength = 20;

export function textArray<Row>(
  rows: readonly Row[],
  of: (row: Row) => string | null,
): Buffer | null {
  let bytes = 0;
  let count = 0;
  for (const row of rows) {
    const item = of(row);
    if (item === null) continue;
    bytes += Buffer.byteLength(item);
    count += 1;
  }
  if (count === 0) return null;
  const size = headerLength + rows.length * 4 + bytes;
  const array = header(rows.length, text, size);
  let at = headerLength;
  for (const row of rows) {
    const item = of(row);
    if (item === null) at = array.writeInt32BE(-1, at);
    else {
      const end = at + 4 + array.write(item, at + 4, 'utf8');
      array.writeInt32BE(end - at - 4, at);
      at = end;
    }
  }
  return array;
}

/** @param of gives safe integers */
export function integerArray<Row>(
  rows: readonly Row[],
  of: (row: Row) => number | null,
): Buffer | null {
  return fixedArray(rows, of, int8, 8, writeInteger);
}

export function floatArray<Row>(
  rows: readonly Row[],
  of: (row: Row) => number | null,
): Buffer | null {
  return fixedArray(rows, of, float8, 8, writeFloat);
}

export function booleanArray<Row>(rows: readonly Row[], of: (row: Row) => boolean): Buffer | null {
  return fixedArray(rows, of, bool, 1, writeBoolean);
}

function fixedArray<Row, Item>(
  rows: readonly Row[],
  of: (row: Row) => Item | null,
  type: number,
  length: number,
  write: (array: Buffer, item: Item, at: number) => void,
): Buffer | null {
  if (rows.length === 0) return null;
  const array = header(rows.length, type, headerLength + rows.length * (4 + length));
  let at = headerLength;
  for (const row of rows) {
    const item = of(row);
    at = array.writeInt32BE(item === null ? -1 : length, at);
    if (item === null) continue;
    write(array, item, at);
    at += length;
  }
  const hasNone = at === headerLength + rows.length * 4;
  return hasNone ? null : array.subarray(0, at);
}

/** Writes the number in two halves: `writeBigInt64BE` needs a bigint, which takes longer to make. */
function writeInteger(array: Buffer, item: number, at: number): void {
  array.writeInt32BE(Math.floor(item / 2 ** 32), at);
  array.writeUInt32BE(item >>> 0, at + 4);
}

function writeFloat(array: Buffer, item: number, at: number): void {
  array.writeDoubleBE(item, at);
}

function writeBoolean(array: Buffer, item: boolean, at: number): void {
  array.writeUInt8(item ? 1 : 0, at);
}

function header(length: number, type: number, size: number): Buffer {
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(1, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16);
  return array;
}
