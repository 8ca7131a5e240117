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
