import { type Port, PortError, type PortInput } from '@dramaturg/compiler';
import type { EmbeddingsInterface } from '@langchain/core/embeddings';
import type { LangchainOptions } from '../options.ts';
import { isTexts, type Lookup, lookupIn, type Memory, type MemoryMatch } from './memory.ts';

/** The maximum length of one memory in a prompt, in UTF-16 units. */
const lengthMax = 4_000;

/** Fields that only a writable memory supports. */
const writableOnly = ['keys', 'namespace', 'filter', 'order'] as const;

/**
 * Looks up all queries in the memory, or ranks the candidates of the call if there are any. Returns the closest matches.
 * Without a memory the result is empty.
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
  // The scores of a vector store may be distances, and a retriever has no scores.
  const isScored = isTexts(memory) || typeof memory === 'function';
  return async (input, { signal }) => {
    const { candidates, minScore } = input;
    if (candidates !== undefined)
      return { memories: await closest(lookupOf(candidates), input, true, signal) };
    const unsupported = writableOnly.find((field) => input[field] !== undefined);
    if (unsupported !== undefined) throw notSupported(unsupported);
    if (minScore !== undefined && !isScored) throw notSupported('minScore');
    const memories = await closest(lookup, input, isScored, signal);
    return {
      memories: memories.map(({ text, ...rest }) => ({ text: text.slice(0, lengthMax), ...rest })),
    };
  };
}

/** Returns each text once, the closest first: by score if scores are similarities, or else in the order of the lookup. */
async function closest(
  lookup: Lookup,
  { queries, limit, minScore = -Infinity }: PortInput<'recall'>,
  isScored: boolean,
  signal: AbortSignal,
): Promise<MemoryMatch[]> {
  const found: { memory: MemoryMatch; rank: number; closeness: number }[] = [];
  for (const query of new Set(queries.filter((each) => each.trim() !== ''))) {
    signal.throwIfAborted();
    const memories = await lookUp(lookup, query, limit, signal);
    for (const [rank, { text, score }] of memories.entries()) {
      const memory = { text, ...(Number.isFinite(score) ? { score } : {}) };
      found.push({ memory, rank, closeness: isScored ? (memory.score ?? 0) : 0 });
    }
  }
  const best = new Map<string, MemoryMatch>();
  for (const { memory, closeness } of found.toSorted(
    (a, b) => b.closeness - a.closeness || a.rank - b.rank,
  ))
    if (!best.has(memory.text) && closeness >= minScore) best.set(memory.text, memory);
  return [...best.values()].slice(0, limit);
}

async function lookUp(lookup: Lookup, query: string, limit: number, signal: AbortSignal) {
  try {
    return await lookup(query, limit, signal);
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new PortError('port/failed', 'recall', `The lookup in the memory failed: ${because}`, {
      cause,
    });
  }
}

/** The error for an unsupported field. It has the code of a missing port, which workflows can catch by name. */
function notSupported(field: string): PortError {
  return new PortError(
    'port/not-provided',
    'recall',
    `The memory of langchainPorts() is read-only and does not support "${field}". Put memoryPorts() after it in the list of ports, or provide recall and remember yourself.`,
  );
}

/** Compares texts by the angle between their embeddings. The texts are embedded once, at the first query. */
function byMeaning(texts: readonly string[], embeddings: EmbeddingsInterface): Lookup {
  let embedding: Promise<number[][]> | undefined;
  const vectors = () =>
    (embedding ??= embeddings.embedDocuments([...texts]).catch((error: unknown) => {
      embedding = undefined;
      throw error;
    }));
  return async (query, limit) => {
    // There is nothing to compare with.
    if (texts.length === 0) return [];
    const [textVectors, queryVector] = await Promise.all([vectors(), embeddings.embedQuery(query)]);
    return texts
      .map((text, index) => ({ text, score: cosine(textVectors[index] ?? [], queryVector) }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit);
  };
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const product = a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  const lengths = Math.hypot(...a) * Math.hypot(...b);
  return lengths === 0 ? 0 : product / lengths;
}

/** Compares texts by the words they share. Rare words have more weight than common ones. */
function byWords(texts: readonly string[]): Lookup {
  const documents = texts.map((text) => ({ text, words: new Set(wordsOf(text)) }));
  const weightOf = (word: string) => {
    const count = documents.filter(({ words }) => words.has(word)).length;
    return count === 0 ? 0 : Math.log(1 + documents.length / count);
  };
  return (query, limit) => {
    const queryWords = [...new Set(wordsOf(query))].map((word) => ({
      word,
      weight: weightOf(word),
    }));
    const total = queryWords.reduce((sum, { weight }) => sum + weight, 0);
    return documents
      .map(({ text, words }) => {
        const shared = queryWords.filter(({ word }) => words.has(word));
        return {
          text,
          score: total === 0 ? 0 : shared.reduce((sum, { weight }) => sum + weight, 0) / total,
        };
      })
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, limit);
  };
}

function wordsOf(text: string): string[] {
  return (
    (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
      .filter((word) => word.length > 2)
      // A plural with an "s" counts as the same word.
      .map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word))
  );
}
