import {
  isRecord,
  type Json,
  type PortInput,
  type PortOutput,
  type Ports,
} from '@dramaturg/compiler';
import { nextTurn } from '@dramaturg/compiler/machine';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import type { FileSystem } from '../store/disk/file-system.ts';
import { readWholeFile, WholeFile } from '../store/disk/whole-file.ts';
import type { MemoryOwner } from './memory-owner.ts';
import {
  authorOf,
  isFrom,
  type Memory,
  mergedParts,
  only,
  partsOf,
  valueOf,
  without,
} from './memory.ts';
import { wordsOf } from '@dramaturg/compiler/text';

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

/** The number of keys to keep. A call is repeated only after a crash, so few other calls come in between. */
const keysMax = 16;

/**
 * Memories by namespace and name. Owns all memories of the process; a memory is live, then expired, and expired ones are removed
 * when its namespace is read. Values are ranked by the words that they share with the query, without a model. To rank with
 * embeddings, answer the ports `recall` and `remember` yourself.
 */
class MemoryKeeper {
  readonly #byNamespace = new Map<string, Map<string, Memory>>();

  constructor(memories: readonly Memory[] = []) {
    for (const memory of memories) this.#namespace(memory.namespace).set(memory.name, memory);
  }

  /**
   * @param instance the instance that stores the memory; undefined for a caller outside of a host
   * @returns the new memory, or undefined when nothing has changed
   */
  remember(
    { key, namespace = '', name, value, ttl, merge, overwrite }: PortInput<'remember'>,
    now: number,
    instance?: string,
  ): Memory | undefined {
    const memories = this.#namespace(namespace);
    const before = this.#unexpired(memories.get(name), now);
    if (before?.by.some((call) => call.key === key)) return undefined;
    if (before && overwrite === false && !merge) return undefined;
    const memory: Memory = {
      namespace,
      name,
      ...(before && merge ? mergedParts(before, value, instance) : partsOf(value, instance)),
      at: now,
      ...(ttl !== undefined && { until: now + ttl }),
      by: [...(before?.by ?? []), { ...authorOf(instance), key }].slice(-keysMax),
    };
    // The newest memory is last in its namespace.
    memories.delete(name);
    memories.set(name, memory);
    return memory;
  }

  /** Ranks many texts in slices, so that the event loop gets turns in between. */
  async recall(
    {
      namespace = '',
      keys,
      queries,
      limit,
      filter,
      order,
      minScore = 0,
      candidates,
    }: PortInput<'recall'>,
    now: number,
  ): Promise<PortOutput<'recall'>> {
    if (candidates)
      return { memories: (await rank(candidates, queries, minScore)).slice(0, limit) };
    const memories = this.#namespace(namespace);
    if (keys) {
      const values = keys.flatMap((name) => {
        const memory = this.#unexpired(memories.get(name), now);
        return memory ? [[name, valueOf(memory)] as const] : [];
      });
      return { memories: [], values: Object.fromEntries(values) };
    }
    const living = this.#dropExpired(memories, now)
      .map(valueOf)
      .filter((value) => matchesFilter(value, filter));
    const newestFirst = order === 'oldest' ? living : living.toReversed();
    if (queries.length === 0)
      return { memories: newestFirst.slice(0, limit).map((value) => ({ text: toText(value) })) };
    return { memories: (await rank(newestFirst, queries, minScore)).slice(0, limit) };
  }

  /** All memories that have not expired. */
  all(now: number): Memory[] {
    return [...this.#byNamespace.values()].flatMap((memories) => this.#dropExpired(memories, now));
  }

  /** The memories of these instances. A memory that other instances have changed too is reduced to their items and fields. */
  of(instances: ReadonlySet<string>, now: number): Memory[] {
    return this.all(now).flatMap((memory) => only(memory, instances) ?? []);
  }

  /**
   * Removes the data that these instances have stored. Items and fields of other instances in the same memory stay.
   *
   * @returns how many memories were changed or deleted
   */
  forget(instances: ReadonlySet<string>): number {
    let changed = 0;
    for (const memories of this.#byNamespace.values()) {
      for (const [name, memory] of memories) {
        if (!isFrom(memory, instances)) continue;
        const rest = without(memory, instances);
        // A replaced entry of a Map keeps its position, which is the order of age.
        if (rest) memories.set(name, rest);
        else memories.delete(name);
        changed += 1;
      }
    }
    return changed;
  }

  #namespace(name: string): Map<string, Memory> {
    const known = this.#byNamespace.get(name);
    if (known) return known;
    const created = new Map<string, Memory>();
    this.#byNamespace.set(name, created);
    return created;
  }

  #unexpired(memory: Memory | undefined, now: number): Memory | undefined {
    return memory?.until !== undefined && memory.until <= now ? undefined : memory;
  }

  #dropExpired(memories: Map<string, Memory>, now: number): Memory[] {
    for (const [name, memory] of memories) if (!this.#unexpired(memory, now)) memories.delete(name);
    return [...memories.values()];
  }
}

function matchesFilter(value: Json, filter: PortInput<'recall'>['filter']): boolean {
  return Object.entries(filter ?? {}).every(
    ([field, wanted]) =>
      isRecord(value) &&
      Object.hasOwn(value, field) &&
      JSON.stringify(value[field]) === JSON.stringify(wanted),
  );
}

/** How many texts are ranked before the event loop gets a turn. */
const textsPerSlice = 200;

/** Scores texts by the share of the words of a query that they contain. Texts without any are omitted. */
async function rank(values: readonly Json[], queries: readonly string[], minScore: number) {
  const questions = queries.map((query) => new Set(wordsOf(query).map(({ stem }) => stem)));
  const ranked: { readonly text: string; readonly score: number }[] = [];
  for (const [index, value] of values.entries()) {
    if (index > 0 && index % textsPerSlice === 0) await nextTurn();
    const text = toText(value);
    const words = new Set(wordsOf(text).map(({ stem }) => stem));
    const scores = questions.map((question) =>
      question.size === 0
        ? 0
        : [...question].filter((word) => words.has(word)).length / question.size,
    );
    const score = Math.max(0, ...scores);
    if (score > 0 && score >= minScore) ranked.push({ text, score });
  }
  return ranked.toSorted((a, b) => b.score - a.score);
}

function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
