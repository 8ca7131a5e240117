/** The limit of a provider for the text of one message. */
export interface TextLimit {
  /** The largest size of a part. */
  readonly max: number;
  /** The size of a piece of text, in the unit of the provider: at least 1 for each UTF-16 unit. When left out, UTF-16 units. */
  readonly sizeOf?: (piece: string) => number;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Patterns of the places for a break, the best first. Each ends where the next part begins. */
const breaks = [/\n\s*\n\s*/gu, /\n\s*/gu, /[.!?…。！？]["'”’)\]]*\s+/gu, /\s+/gu].map(
  // White space with a combining mark is one grapheme.
  ({ source, flags }) => new RegExp(`${source}(?!\\p{M}|\u200d)`, flags),
);

/** The shortest part, relative to the limit, that ends at a better place. A part may be shorter to keep a URL whole. */
const shortestPart = 0.5;
const longestUrl = 2_000;

/**
 * Divides a text into parts that a provider accepts: at paragraphs, lines, sentences or words, and never inside a grapheme that
 * fits into a part. White space at a break is left out.
 */
export function splitText(text: string, { max, sizeOf = utf16Units }: TextLimit): string[] {
  const parts: string[] = [];
  let rest = text;
  while (sizeOf(rest) > max) {
    const end = breakBefore(rest, lengthThatFits(rest, max, sizeOf));
    const part = rest.slice(0, end).trimEnd();
    if (part !== '') parts.push(part);
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '' || parts.length === 0) parts.push(rest);
  return parts;
}

export function utf16Units(piece: string): number {
  return piece.length;
}

export function utf8Bytes(piece: string): number {
  return Buffer.byteLength(piece);
}

/** The length, in UTF-16 units, of the longest beginning that fits: whole graphemes, or code points if the first does not fit. */
function lengthThatFits(text: string, max: number, sizeOf: (piece: string) => number): number {
  // At most `max` units fit, so the rest of a long text is not examined. The code point after them is needed as a whole: it may
  // continue a grapheme.
  const start = text.slice(0, max + 2);
  const segments = graphemes.segment(start);
  // Fast path: in UTF-16 units, the place of the limit is known.
  const whole =
    sizeOf === utf16Units
      ? segments.containing(max)!.index
      : fitting(pieces(segments), max, sizeOf);
  // A code point that does not fit alone is sent unchanged, and the provider decides.
  return whole || fitting(start, max, sizeOf) || String.fromCodePoint(text.codePointAt(0)!).length;
}

function* pieces(segments: Intl.Segments): Generator<string> {
  for (const { segment } of segments) yield segment;
}

function fitting(all: Iterable<string>, max: number, sizeOf: (piece: string) => number): number {
  let size = 0;
  let length = 0;
  for (const piece of all) {
    size += sizeOf(piece);
    if (size > max) break;
    length += piece.length;
  }
  return length;
}

/** The index of the best break in a text, at most `end`. */
function breakBefore(text: string, end: number): number {
  // White space directly after the part is a break too.
  const part = text.slice(0, end) + (/^\s+/u.exec(text.slice(end, end + 100))?.[0] ?? '');
  for (const pattern of breaks) {
    const last = [...part.matchAll(pattern)].at(-1);
    if (last === undefined) continue;
    const place = last.index + last[0].length;
    if (last.index >= end * shortestPart) return Math.min(place, part.length);
  }
  for (const { index, 0: url } of text.slice(0, end + longestUrl).matchAll(/https?:\/\/\S+/gu))
    if (index > 0 && index < end && index + url.length > end) return index;
  return end;
}
