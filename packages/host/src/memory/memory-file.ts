import { nextTurn } from '@dramaturg/compiler/machine';
import type { FileSystem } from '../store/disk/file-system.ts';
import { readWholeFile, WholeFile } from '../store/disk/whole-file.ts';
import type { Memory } from './memory.ts';

/** Memories that are written at a time, before the event loop gets a turn. */
const memoriesPerSlice = 500;

/** Between them, each memory has a line. */
const fileStart = '{"memories": [\n';
const fileEnd = '\n]}\n';

/** A JSON file with memories. It is written in slices. */
export function memoryFile(
  path: string,
  memories: () => readonly Memory[] | Promise<readonly Memory[]>,
  files?: FileSystem,
): WholeFile {
  return new WholeFile(path, () => slicesOf(memories), files);
}

async function* slicesOf(
  read: () => readonly Memory[] | Promise<readonly Memory[]>,
): AsyncGenerator<string> {
  const memories = await read();
  yield fileStart;
  for (let from = 0; from < memories.length; from += memoriesPerSlice) {
    await nextTurn();
    const slice = memories.slice(from, from + memoriesPerSlice);
    yield `${from === 0 ? '' : ',\n'}${slice.map((memory) => JSON.stringify(memory)).join(',\n')}`;
  }
  yield fileEnd;
}

/**
 * Reads a memory file. Other work gets its turn while it is read and parsed.
 *
 * @throws Error when the file exists and is not a memory file
 */
export async function readMemories(path: string): Promise<Memory[]> {
  return (await readWholeFile(path, 'a memory file', parseMemories)) ?? [];
}

/** Parses the text of a memory file in slices, with a turn of the event loop before each. */
export async function parseMemories(text: string): Promise<Memory[]> {
  return (await parseLines(text)) ?? parseWhole(text);
}

/** Parses a file as it was written. Returns undefined when a person has given it another form. */
async function parseLines(text: string): Promise<Memory[] | undefined> {
  const lines = text.split('\n');
  const end = lines.splice(-3).join('\n');
  const last = end.slice(0, -fileEnd.length);
  if (`${lines.shift()}\n` !== fileStart || !end.endsWith(fileEnd)) return undefined;
  lines.push(`${last},`);
  const memories: Memory[] = [];
  for (let from = 0; from < lines.length; from += memoriesPerSlice) {
    await nextTurn();
    const slice = lines.slice(from, from + memoriesPerSlice).join('');
    try {
      memories.push(...(JSON.parse(`[${slice.slice(0, -1)}]`) as Memory[]));
    } catch {
      // Also a damaged file: parsing it as a whole says where.
      return undefined;
    }
  }
  return memories;
}

function parseWhole(text: string): Memory[] {
  const { memories } = JSON.parse(text) as { memories: Memory[] };
  if (!Array.isArray(memories)) throw new Error('it has no list "memories"');
  return memories;
}
