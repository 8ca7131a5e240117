/**
 * Arrays in the binary format of Postgres. A group of writes is a few arrays with large texts: in this format nothing in them
 * has to be escaped.
 */

const int8 = 20;
const text = 25;
const float8 = 701;
const bool = 16;

/** The header: dimensions, whether it has nulls, the type, the length, the lower bound. */
const headerLength = 20;

export function textArray(items: readonly (string | null)[]): Buffer {
  const lengths = items.map((item) => (item === null ? -1 : Buffer.byteLength(item)));
  const size = lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), headerLength);
  const array = header(items.length, text, size);
  let at = headerLength;
  for (const [index, item] of items.entries()) {
    const length = lengths[index]!;
    at = array.writeInt32BE(length, at);
    if (item !== null) at += array.write(item, at, length, 'utf8');
  }
  return array;
}

export function integerArray(items: readonly (number | null)[]): Buffer {
  return fixedArray(items, int8, 8, (array, item, at) => array.writeBigInt64BE(BigInt(item), at));
}

export function floatArray(items: readonly (number | null)[]): Buffer {
  return fixedArray(items, float8, 8, (array, item, at) => array.writeDoubleBE(item, at));
}

export function booleanArray(items: readonly boolean[]): Buffer {
  return fixedArray(items, bool, 1, (array, item, at) => array.writeUInt8(item ? 1 : 0, at));
}

function fixedArray<Item>(
  items: readonly (Item | null)[],
  type: number,
  length: number,
  write: (array: Buffer, item: Item, at: number) => void,
): Buffer {
  const nulls = items.filter((item) => item === null).length;
  const size = headerLength + items.length * (4 + length) - nulls * length;
  const array = header(items.length, type, size);
  let at = headerLength;
  for (const item of items) {
    at = array.writeInt32BE(item === null ? -1 : length, at);
    if (item === null) continue;
    write(array, item, at);
    at += length;
  }
  return array;
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
