import { isRecord, type Json, type PortInput, type PortOutput } from '@dramaturg/compiler';
import { wordsOf } from '../understudy/reading/words.ts';

/** One remembered value. */
export interface Memory {
  readonly namespace: string;
  readonly name: string;
  readonly value: Json;
  /** When it was stored, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** When it expires, in milliseconds since 1970 UTC. */
  readonly until?: number;
  /** Idempotency keys of the last calls that changed it. A repeated call changes nothing. */
  readonly by: readonly string[];
}

/** The number of keys to keep. A call is repeated only after a crash, so few other calls come in between. */
const keysMax = 16;

/**
 * Memories by namespace and name. Owns all memories of the process; a memory is live, then expired, and expired ones
 * are removed when its namespace is read. Texts are ranked by the words that they share with the query, without a
 * model. To rank with embeddings, answer the ports `recall` and `remember` yourself.
 */
export class MemoryKeeper {
  readonly #byNamespace = new Map<string, Map<string, Memory>>();

  constructor(memories: readonly Memory[] = []) {
    for (const memory of memories) this.#namespace(memory.namespace).set(memory.name, memory);
  }

  /** @returns the new memory, or undefined when nothing has changed */
  remember(
    { key, namespace = '', name, value, ttl, merge, overwrite }: PortInput<'remember'>,
    now: number,
  ): Memory | undefined {
    const memories = this.#namespace(namespace);
    const before = this.#unexpired(memories.get(name), now);
    if (before?.by.includes(key)) return undefined;
    if (before && overwrite === false && !merge) return undefined;
    const memory: Memory = {
      namespace,
      name,
      value: before && merge ? mergeValues(before.value, value) : value,
      at: now,
      ...(ttl !== undefined && { until: now + ttl }),
      by: [...(before?.by ?? []), key].slice(-keysMax),
    };
    // The newest memory is last in its namespace.
    memories.delete(name);
    memories.set(name, memory);
    return memory;
  }

  recall(
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
  ): PortOutput<'recall'> {
    if (candidates) return { memories: rank(candidates, queries, minScore).slice(0, limit) };
    const memories = this.#namespace(namespace);
    if (keys) {
      const values = keys.flatMap((name) => {
        const memory = this.#unexpired(memories.get(name), now);
        return memory ? [[name, memory.value] as const] : [];
      });
      return { memories: [], values: Object.fromEntries(values) };
    }
    const living = this.#dropExpired(memories, now).filter(({ value }) =>
      matchesFilter(value, filter),
    );
    const newestFirst = order === 'oldest' ? living : living.toReversed();
    const texts = newestFirst.map(({ value }) => toText(value));
    const found =
      queries.length > 0 ? rank(texts, queries, minScore) : texts.map((text) => ({ text }));
    return { memories: found.slice(0, limit) };
  }

  /** All memories that have not expired. */
  all(now: number): Memory[] {
    return [...this.#byNamespace.values()].flatMap((memories) => this.#dropExpired(memories, now));
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

/** Appends to lists, merges the fields of objects, and replaces anything else. */
function mergeValues(before: Json, value: Json): Json {
  if (Array.isArray(before)) {
    return [...(before as Json[]), ...(Array.isArray(value) ? (value as Json[]) : [value])];
  }
  return isRecord(before) && isRecord(value) ? { ...before, ...value } : value;
}

function matchesFilter(value: Json, filter: PortInput<'recall'>['filter']): boolean {
  return Object.entries(filter ?? {}).every(
    ([field, wanted]) =>
      isRecord(value) &&
      Object.hasOwn(value, field) &&
      JSON.stringify(value[field]) === JSON.stringify(wanted),
  );
}

/** Scores texts by the share of the words of a query that they contain. Texts without any are omitted. */
function rank(texts: readonly string[], queries: readonly string[], minScore: number) {
  const questions = queries.map((query) => new Set(wordsOf(query).map(({ stem }) => stem)));
  return texts
    .map((text) => {
      const words = new Set(wordsOf(text).map(({ stem }) => stem));
      const scores = questions.map((question) =>
        question.size === 0
          ? 0
          : [...question].filter((word) => words.has(word)).length / question.size,
      );
      return { text, score: Math.max(0, ...scores) };
    })
    .filter(({ score }) => score > 0 && score >= minScore)
    .toSorted((a, b) => b.score - a.score);
}

function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
