import { type Port, PortError, type PortInput } from '@dramaturg/compiler';
import type { LangchainOptions } from '../options.ts';
import { byMeaning } from './by-meaning.ts';
import { byWords } from './by-words.ts';
import { isTexts, type Lookup, lookupIn, type Memory, type Remembered } from './memory.ts';

/** One memory may not push everything else out of a prompt. In UTF-16 units. */
const longest = 4_000;

/** What is asked of a memory that things were put into: these are only looked up. */
const ofKept = ['keys', 'namespace', 'filter', 'order'] as const;

/**
 * Looks up every query, and gives what came closest to any of them, or ranks candidates where there are any. Without a
 * memory nothing is remembered.
 */
export function recallPort({
  memory = [],
  embeddings,
}: Pick<LangchainOptions, 'memory' | 'embeddings'>): Port<'recall'> {
  const lookupOf = (texts: Memory) => {
    if (!isTexts(texts)) return lookupIn(texts);
    return embeddings === undefined ? byWords(texts) : byMeaning(texts, embeddings);
  };
  const lookup = lookupOf(memory);
  // Of a store nobody knows whether its scores are distances; a retriever has none.
  const isScored = isTexts(memory) || typeof memory === 'function';
  return async (input, { signal }) => {
    const { candidates, minScore } = input;
    if (candidates !== undefined)
      return { memories: await closest(lookupOf(candidates), input, true, signal) };
    const unknown = ofKept.find((field) => input[field] !== undefined);
    if (unknown !== undefined) throw notKept(unknown);
    if (minScore !== undefined && !isScored) throw notKept('minScore');
    const memories = await closest(lookup, input, isScored, signal);
    return {
      memories: memories.map(({ text, ...of }) => ({ text: text.slice(0, longest), ...of })),
    };
  };
}

/** Each text once, the closest first: by its score where the higher is the closer, else as it was found. */
async function closest(
  lookup: Lookup,
  { queries, limit, minScore = -Infinity }: PortInput<'recall'>,
  isScored: boolean,
  signal: AbortSignal,
): Promise<Remembered[]> {
  const found: { memory: Remembered; rank: number; closeness: number }[] = [];
  for (const query of queries.filter((each) => each.trim() !== '')) {
    signal.throwIfAborted();
    const memories = await lookedUp(lookup, query, limit, signal);
    for (const [rank, { text, score }] of memories.entries()) {
      const memory = { text, ...(Number.isFinite(score) ? { score } : {}) };
      found.push({ memory, rank, closeness: isScored ? (memory.score ?? 0) : 0 });
    }
  }
  const best = new Map<string, Remembered>();
  for (const { memory, closeness } of found.toSorted(
    (a, b) => b.closeness - a.closeness || a.rank - b.rank,
  ))
    if (!best.has(memory.text) && closeness >= minScore) best.set(memory.text, memory);
  return [...best.values()].slice(0, limit);
}

async function lookedUp(lookup: Lookup, query: string, limit: number, signal: AbortSignal) {
  try {
    return await lookup(query, limit, signal);
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new PortError('port/failed', 'recall', `The memory could not be looked up: ${because}`, {
      cause,
    });
  }
}

/** To a workflow this is as if the port was not there: it has a name for that. */
function notKept(field: string): PortError {
  return new PortError(
    'port/not-provided',
    'recall',
    `The memory of langchainPorts() is only looked up, and knows no "${field}": answer recall and remember by memoryPorts(), after it in the list of ports, or by ports of your own.`,
  );
}
