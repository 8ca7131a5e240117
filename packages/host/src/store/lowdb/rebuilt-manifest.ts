import { join } from 'node:path';
import type { FileSystem } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { lostFeed } from './feed-file.ts';
import { epochOf } from './layout.ts';
import { type LogPosition, logStart } from './log/line.ts';
import { type ReadSegment, readSegment, type SegmentEnd, type SegmentInfo } from './log/segment.ts';
import type { ManifestContent } from './manifest.ts';

/** The name of an index file that does not exist. The index is rebuilt from the records when the store is opened. */
export const lostIndex: ManifestContent['index'] = {
  name: 'index-lost.jsonl',
  ranges: [{ lines: 1, bytes: 1 }],
};

/** Creates a manifest from the names and lines of the files that are there. */
export async function manifestFromFiles(
  data: string,
  files: FileSystem,
  scheduler: Scheduler,
): Promise<ManifestContent> {
  const folder = join(data, 'log');
  const names = await files.list(folder);
  const segments = await segmentsIn(folder, names, files, scheduler);
  const epochs = [...names, ...(await files.list(data))].map((name) => numbersIn(name)[0]);
  return {
    epoch: Math.max(epochOf(data), ...epochs),
    fence: 0,
    // An owner that may still be alive loses its folder when the store is opened.
    isClosed: false,
    segments,
    compacted: segments[0]?.after ?? logStart,
    index: lostIndex,
    feed: lostFeed,
    records: (await files.list(join(data, 'records'))).length,
  };
}

/** Epoch and number in the name of a segment, of an index or of a feed; zeros in other names. */
function numbersIn(name: string): readonly [epoch: number, number: number] {
  const [, epoch, number] = /^(?:index-|feed-)?(\d+)-(\d+)\.jsonl$/.exec(name) ?? [];
  return [Number(epoch ?? 0), Number(number ?? 0)];
}

/** A file without a readable line is left out. */
async function segmentsIn(
  folder: string,
  names: readonly string[],
  files: FileSystem,
  scheduler: Scheduler,
): Promise<readonly SegmentInfo[]> {
  const inOrder = names
    .filter((name) => numbersIn(name)[0] > 0)
    .toSorted((one, other) => compare(numbersIn(one), numbersIn(other)));
  const segments: (SegmentInfo & Pick<ReadSegment, 'lines'>)[] = [];
  for (const name of inOrder) {
    const bytes = await files.readFile(join(folder, name));
    const { lines } = await readSegment(bytes, { name, after: logStart }, scheduler);
    if (lines.length > 0) segments.push({ name, after: positionBefore(lines), lines });
  }
  return segments.map(({ name, after, lines }, index) => {
    const next = segments[index + 1];
    return next === undefined ? { name, after } : { name, after, end: endOf(lines, next.after) };
  });
}

function compare(
  [epoch, number]: readonly [number, number],
  [otherEpoch, other]: readonly [number, number],
): number {
  return epoch - otherEpoch || number - other;
}

function positionBefore([first]: ReadSegment['lines']): LogPosition {
  const { position, previous } = first!;
  return { number: position.number - 1, ...previous };
}

/** The segment ends where the next one continues. What follows in it was undone, or is of a lost owner. */
function endOf(lines: ReadSegment['lines'], next: LogPosition): SegmentEnd {
  const last =
    lines.find(({ position: { number, sum } }) => number === next.number && sum === next.sum) ??
    lines.at(-1)!;
  return { bytes: last.offset + last.length + 1, position: last.position };
}
