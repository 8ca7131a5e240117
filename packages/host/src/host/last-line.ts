import { isRecord } from '@dramaturg/compiler';
import type { TranscriptLine } from '../instance/event.ts';

/** How many lines are read at once. */
const pageLength = 100;

/** A line and its index. */
export interface PlacedLine {
  readonly index: number;
  readonly line: TranscriptLine;
}

/**
 * The last line of a transcript that a test accepts, searched from the end.
 *
 * @param end the index after the last line to look at
 * @param begin the index of the first one
 */
export async function lastLine(
  read: (range: { from: number; limit: number }) => Promise<readonly unknown[]>,
  end: number,
  accepts: (line: TranscriptLine) => boolean,
  begin = 0,
): Promise<PlacedLine | undefined> {
  for (let rest = end; rest > begin; rest -= pageLength) {
    const from = Math.max(begin, rest - pageLength);
    const lines = (await read({ from, limit: rest - from })) as readonly TranscriptLine[];
    const found = lines.findLastIndex((line) => isRecord(line) && accepts(line));
    if (found >= 0) return { index: from + found, line: lines[found]! };
  }
  return undefined;
}
