import type { Json } from '@dramaturg/compiler';
import type { LineRange } from '@dramaturg/host/store';
import { type Chunk, chunkKey, type LineKind, type Lines } from './state-layout.ts';

/** Reads a value of the state by its key. */
export type GetChunk = (key: string) => Promise<Chunk | null>;

/** Reads lines by their index. A range beyond the end gives fewer lines, or none. */
export async function readLines(
  get: GetChunk,
  kind: LineKind,
  { lines: count, chunks, latest }: Lines,
  { from, limit }: LineRange,
): Promise<readonly Json[]> {
  const end = Math.min(from + limit, count);
  const inChunks = count - latest.length;
  const older = await linesOfChunks(
    get,
    kind,
    { lines: inChunks, chunks },
    { from, end: Math.min(end, inChunks) },
  );
  if (end <= inChunks) return older;
  return [...older, ...latest.slice(Math.max(0, from - inChunks), end - inChunks)];
}

type Chunks = Pick<Lines, 'lines' | 'chunks'>;

async function linesOfChunks(
  get: GetChunk,
  kind: LineKind,
  chunks: Chunks,
  { from, end }: { readonly from: number; readonly end: number },
): Promise<readonly Json[]> {
  const lines: Json[] = [];
  if (from >= end) return lines;
  let [index, chunk] = await findChunk(get, kind, chunks, from);
  for (let next = from; ;) {
    const some = chunk.lines.slice(next - chunk.from, end - chunk.from);
    lines.push(...some);
    next += some.length;
    if (next >= end) return lines;
    index += 1;
    chunk = await chunkAt(get, kind, index);
  }
}

/** Chunks have about the same number of lines each, so a guess from the index of the line needs few reads. */
async function findChunk(
  get: GetChunk,
  kind: LineKind,
  { lines, chunks }: Chunks,
  line: number,
): Promise<[number, Chunk]> {
  let low = { index: 0, line: 0 };
  let high = { index: chunks, line: lines };
  for (;;) {
    const share = (line - low.line) / (high.line - low.line);
    const guess = low.index + Math.floor(share * (high.index - low.index));
    const index = Math.min(guess, high.index - 1);
    const chunk = await chunkAt(get, kind, index);
    const after = chunk.from + chunk.lines.length;
    if (line < chunk.from) high = { index, line: chunk.from };
    else if (line >= after) low = { index: index + 1, line: after };
    else return [index, chunk];
  }
}

async function chunkAt(get: GetChunk, kind: LineKind, index: number): Promise<Chunk> {
  const chunk = await get(chunkKey(kind, index));
  if (chunk) return chunk;
  throw new Error(`The chunk ${index} of the ${kind} is missing.`);
}
