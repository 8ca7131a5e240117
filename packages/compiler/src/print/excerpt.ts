import type { Range } from '../diagnostic.ts';
import { columnsOf, visible } from './visible.ts';

const tab = '  ';

/** A line of the source as shown, and the position of its marks in columns. */
export interface Excerpt {
  readonly text: string;
  readonly indent: number;
  readonly length: number;
}

/**
 * The line on which a range starts, cut to `width` columns around the range, with `…` for omitted parts. A range over several
 * lines is marked to the end of the first line. An empty range has one mark.
 */
export function excerptOf(source: string, range: Range, width: number): Excerpt {
  const start = Math.min(range.start.offset, source.length);
  const lineStart = Math.max(0, start - (range.start.column - 1));
  // Reads only as much of the line as fits: a minified definition is one long line.
  const from = Math.max(lineStart, start - width);
  const rest = source.slice(start, start + width).split(/[\r\n]/, 1)[0]!;
  const marked = rest.slice(0, Math.max(0, range.end.offset - start));
  return cutAround(
    shown(source.slice(from, start)),
    shown(marked),
    shown(rest.slice(marked.length)),
    width,
    {
      before: from > lineStart,
      after: rest.length === width,
    },
  );
}

function cutAround(
  before: string,
  marked: string,
  after: string,
  width: number,
  more: { before: boolean; after: boolean },
): Excerpt {
  const whole = columnsOf(before + marked + after);
  if (whole <= width && !more.before && !more.after) return excerpt(before, marked, after);
  // The marked part has priority, then the text before it, then the text after it.
  const shownMarked = fitted(marked, width - 2, 'start');
  const room = width - columnsOf(shownMarked) - 2;
  const shownBefore = fitted(
    before,
    Math.max(Math.floor(room / 2), room - columnsOf(after)),
    'end',
  );
  const shownAfter = fitted(after, room - columnsOf(shownBefore), 'start');
  const cutBefore = more.before || shownBefore !== before;
  const cutAfter = more.after || shownMarked !== marked || shownAfter !== after;
  return excerpt(
    (cutBefore ? '…' : '') + shownBefore,
    shownMarked,
    (shownMarked === marked ? shownAfter : '') + (cutAfter ? '…' : ''),
  );
}

function excerpt(before: string, marked: string, after: string): Excerpt {
  return {
    text: (before + marked + after).trimEnd(),
    indent: columnsOf(before),
    length: Math.max(1, columnsOf(marked)),
  };
}

/** As much of a text as fits, from its start or from its end. */
function fitted(text: string, room: number, keep: 'start' | 'end'): string {
  if (columnsOf(text) <= room) return text;
  const characters = Array.from(text);
  if (keep === 'end') characters.reverse();
  const kept: string[] = [];
  let columns = 0;
  for (const character of characters) {
    columns += columnsOf(character);
    if (columns > room) break;
    kept.push(character);
  }
  return (keep === 'end' ? kept.toReversed() : kept).join('');
}

function shown(text: string): string {
  return visible(text.replaceAll('\t', tab));
}
