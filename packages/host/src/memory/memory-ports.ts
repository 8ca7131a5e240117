import type { Ports } from '@dramaturg/compiler';
import { nextTurn } from '@dramaturg/compiler/machine';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import type { FileSystem } from '../store/disk/file-system.ts';
import { readWholeFile, WholeFile } from '../store/disk/whole-file.ts';
import { MemoryKeeper } from './memory-keeper.ts';
import type { MemoryOwner } from './memory-owner.ts';
import { type Memory, valueOf } from './memory.ts';

export interface MemoryOptions {
  /** The real clock by default. */
  readonly clock?: Pick<Clock, 'world'>;
  /** The JSON file for the memories. Without it, they are lost when the process ends. */
  readonly file?: string;
}

/**
 * Answers the ports `recall` and `remember`. Memories are found by name, by words, or by age, in one namespace. All of them are
 * kept in the memory of one process. A memory names the instances that have stored it, so that a host can erase and export the
 * data of a person.
 *
 * The file is read in the background. Each call waits for this, and rejects when the file is not a memory file.
 *
 * @example
 * ```ts
 * const memory = memoryPorts({ file: 'memory.json' });
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: { ...understudyPorts(), ...memory },
 * });
 * const { id } = await host.start('intake', { contact: 'ada' });
 * console.log(await memory.memoriesOf([id])); // → []
 * await host.stop();
 * ```
 */
export function memoryPorts({ clock = realClock(), file }: MemoryOptions = {}): Pick<
  Ports,
  'recall' | 'remember'
> &
  MemoryOwner {
  const keeping = keeperOf(file);
  // Reported by each call.
  keeping.catch(() => undefined);
  const { now } = clock.world;
  const stored =
    file === undefined ? undefined : memoryFile(file, async () => (await keeping).all(now()));
  return {
    recall: async (input) => (await keeping).recall(input, now()),
    async remember(input, { instance }) {
      const changed = (await keeping).remember(input, now(), instance);
      // A call that is repeated after an error of the file changes nothing, but the first call's change may not be stored.
      await (changed ? stored?.save() : stored?.saved());
      return { stored: changed !== undefined };
    },
    forget: async (instances) => {
      const count = (await keeping).forget(new Set(instances));
      // Also when nothing has changed, because a killed process may have left a draft of the file.
      await stored?.save();
      return count;
    },
    memoriesOf: async (instances) =>
      (await keeping).of(new Set(instances), now()).map((memory) => {
        const { namespace, name, at, until } = memory;
        const expiry = until === undefined ? {} : { until };
        return { namespace, name, value: valueOf(memory), at, ...expiry };
      }),
  };
}

async function keeperOf(file: string | undefined): Promise<MemoryKeeper> {
  return new MemoryKeeper(file === undefined ? [] : await readMemories(file));
}

/** How many memories are written before the event loop gets a turn. */
const memoriesPerSlice = 500;

/** The first line of the file. Each memory then has its own line. */
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

/** Parses a file in the written form. Returns undefined when a person has changed its form. */
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
      // Perhaps the file is damaged: parsing it as a whole then says where.
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
