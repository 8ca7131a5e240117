import type { Json } from '@dramaturg/compiler';

/** The size limit, in bytes, of a string made from data: the data limit of the more lenient dialect. */
export const longestText = 64 * 1024 * 1024;

/** Whether a value as JSON in UTF-8 has more bytes than the limit. Reads no more of the value than it needs. */
export function isLarger(value: Json, limit: number): boolean {
  return mostBytesOf(value, limit) > limit && bytesOf(value, limit) > limit;
}

/** Deeper than any real data, but far from a stack overflow. Deeper data counts as larger than any limit. */
const deepest = 1_000;

/** An upper bound of the size. Quick, because it reads no characters. Stops shortly after `limit`. */
function mostBytesOf(value: Json, limit: number, depth = 0): number {
  if (typeof value === 'string') return value.length * mostBytesOfCharacter + 2;
  if (typeof value !== 'object' || value === null) return mostBytesOfNumber;
  if (depth > deepest) return Infinity;
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      bytes += mostBytesOf(item, limit - bytes, depth + 1) + 1;
      if (bytes > limit) return bytes;
    }
    return bytes;
  }
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, Json>)[key]!;
    bytes += key.length * mostBytesOfCharacter + 4 + mostBytesOf(item, limit - bytes, depth + 1);
    if (bytes > limit) return bytes;
  }
  return bytes;
}

/** `\u0001` */
const mostBytesOfCharacter = 6;
/** `-1.2345678901234567e-300` */
const mostBytesOfNumber = 25;

/** The size of a value as JSON in UTF-8. Stops shortly after `limit`. */
export function bytesOf(value: Json, limit: number, depth = 0): number {
  if (typeof value === 'string') return textBytes(value) + 2;
  if (typeof value === 'number') return String(value).length;
  if (typeof value === 'boolean') return value ? 4 : 5;
  if (value === null) return 4;
  if (depth > deepest) return limit + 1;
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      bytes += bytesOf(item, limit - bytes, depth + 1) + 1;
      if (bytes > limit) return bytes;
    }
    return value.length > 0 ? bytes - 1 : bytes;
  }
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, Json>)[key]!;
    bytes += textBytes(key) + 4 + bytesOf(item, limit - bytes, depth + 1);
    if (bytes > limit) return bytes;
  }
  return bytes > 2 ? bytes - 1 : bytes;
}

/** The size without quotes, with JSON escapes. */
function textBytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      if (code === 0x22 || code === 0x5c) bytes += 1;
      else if (code < 0x20) bytes += shortEscapes.has(code) ? 1 : 5;
    } else if (code < 0x800) bytes += 1;
    // Each half of a surrogate pair counts two bytes, four together.
    else bytes += code >= 0xd800 && code <= 0xdfff ? 1 : 2;
  }
  return bytes;
}

/** \b \t \n \f \r */
const shortEscapes: ReadonlySet<number> = new Set([8, 9, 10, 12, 13]);
