import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { nextTurn } from '../next-turn.ts';
import type { FileSystem } from '../store/disk/file-system.ts';
import { makeFolders } from '../store/disk/make-folders.ts';
import { nodeFileSystem } from '../store/disk/node-file-system.ts';
import { replaceFile } from '../store/disk/replace-file.ts';
import type { Memory } from './memory.ts';

/** Memories that are written at a time, before the event loop gets a turn. */
const memoriesPerSlice = 500;

/** Between them, each memory has a line. */
const fileStart = '{"memories": [\n';
const fileEnd = '\n]}\n';

/**
 * A JSON file with memories. It is replaced as a whole and in slices; changes during a write share the next one. Only its owner may
 * read it.
 */
export class MemoryFile {
  readonly #path: string;
  readonly #files: FileSystem;
  readonly #memories: () => readonly Memory[] | Promise<readonly Memory[]>;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  /** Whether the last write is complete. */
  #isStored = true;

  constructor(
    path: string,
    memories: () => readonly Memory[] | Promise<readonly Memory[]>,
    files: FileSystem = nodeFileSystem(),
  ) {
    this.#path = resolve(path);
    this.#memories = memories;
    this.#files = files;
  }

  /** Fulfils when all changes so far are stored. */
  save(): Promise<void> {
    this.#next ??= this.#writing.catch(() => undefined).then(() => this.#begin());
    return this.#next;
  }

  /** Waits until the changes of earlier calls are stored. Tries again when that has failed. */
  saved(): Promise<void> {
    return this.#isStored ? (this.#next ?? this.#writing) : this.save();
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    this.#writing = this.#write();
    return this.#writing;
  }

  async #write(): Promise<void> {
    this.#isStored = false;
    await makeFolders(dirname(this.#path), this.#files);
    // One name for all processes, because the store has one owner: a killed process may have left its draft.
    const draft = `${this.#path}.tmp`;
    await this.#files.remove(draft);
    await replaceFile(this.#files, draft, this.#path, slicesOf(await this.#memories()));
    this.#isStored = true;
  }
}

async function* slicesOf(memories: readonly Memory[]): AsyncGenerator<string> {
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
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return [];
    throw error;
  }
  try {
    return await parseMemories(text);
  } catch (cause) {
    throw new Error(`"${path}" is not a memory file: ${(cause as Error).message}.`, { cause });
  }
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
