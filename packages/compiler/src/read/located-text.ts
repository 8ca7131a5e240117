import type { Diagnostic, Range } from '../diagnostic.ts';
import type { Path } from '../path.ts';
import { positionsOf } from './positions.ts';
import { read } from './read.ts';
import { scalarOffsets } from './scalar-offsets.ts';
import type { Source } from './source.ts';

/** A text that is written inside a file, perhaps in pieces. `offsets` has the place of each character, and of the end. */
export interface LocatedText {
  readonly text: string;
  readonly offsets: Int32Array;
}

/** The text at a path of a file. */
export function locatedText(file: Source, path: Path): LocatedText | undefined {
  const text = valueAt(file.value, path);
  if (typeof text !== 'string') return undefined;
  const { start, end } = file.locate(path);
  const span = { start: start.offset, end: end.offset };
  return { text, offsets: scalarOffsets(file.text, span, text) };
}

/** A text that stands for a part of a file, such as a placeholder for a function: all of it is at one place. */
export function textAt(text: string, offset: number): LocatedText {
  return { text, offsets: new Int32Array(text.length + 1).fill(offset) };
}

export function sliceText(
  { text, offsets }: LocatedText,
  start: number,
  end = text.length,
): LocatedText {
  return { text: text.slice(start, end), offsets: offsets.slice(start, end + 1) };
}

export function joinTexts(parts: readonly LocatedText[]): LocatedText {
  const text = parts.map((part) => part.text).join('');
  const offsets = new Int32Array(text.length + 1);
  let length = 0;
  for (const part of parts) {
    offsets.set(part.offsets, length);
    length += part.text.length;
  }
  return { text, offsets };
}

/** Reads a definition that is a text inside a file. Its findings and places are those of the file. */
export function readLocatedText(file: Source, { text, offsets }: LocatedText): Source {
  const inner = read(text, { placeholders: true });
  const positions = positionsOf(file.text);
  const outer = ({ start, end }: Range): Range => {
    const from = offsets[start.offset] ?? 0;
    // The end of a part is behind its last character, which may be elsewhere than its next one.
    const last = end.offset > start.offset ? (offsets[end.offset - 1] ?? from) + 1 : from;
    return positions.range({ start: from, end: Math.max(from, last) });
  };
  const placed = (diagnostic: Diagnostic): Diagnostic => ({
    ...diagnostic,
    range: outer(diagnostic.range),
    ...(diagnostic.related && {
      related: diagnostic.related.map((place) => ({ ...place, range: outer(place.range) })),
    }),
  });
  return {
    text: file.text,
    value: inner.value,
    diagnostics: inner.diagnostics.map(placed),
    locate: (path, part) => outer(inner.locate(path, part)),
  };
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (part, step) =>
      typeof part === 'object' && part !== null && Object.hasOwn(part, step)
        ? (part as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}
