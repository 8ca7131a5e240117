import { type Port, PortError } from '@dramaturg/compiler';
import type { LangchainOptions } from '../options.ts';
import { byMeaning } from './by-meaning.ts';
import { byWords } from './by-words.ts';
import { type Lookup, lookupIn, type Memory, type Remembered } from './memory.ts';

/** One memory may not push everything else out of a prompt. In UTF-16 units. */
const longest = 4_000;

/** Looks up every query, and gives what came closest to any of them. Without a memory nothing is remembered. */
export function recallPort({
  memory,
  embeddings,
}: Pick<LangchainOptions, 'memory' | 'embeddings'>): Port<'recall'> {
  const lookup = memory === undefined ? undefined : lookupOf(memory, embeddings);
  return async ({ queries, limit }, { signal }) => {
    if (lookup === undefined) return { memories: [] };
    const best = new Map<string, Remembered>();
    for (const query of queries.filter((each) => each.trim() !== '')) {
      signal.throwIfAborted();
      for (const { text, score } of await lookedUp(lookup, query, limit, signal)) {
        const known = best.get(text);
        if (known === undefined || (score ?? 0) > (known.score ?? 0))
          best.set(text, { text, score });
      }
    }
    const memories = [...best.values()]
      .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))
      .slice(0, limit)
      .map(({ text, score }) => ({
        text: text.slice(0, longest),
        ...(score !== undefined && Number.isFinite(score) ? { score } : {}),
      }));
    return { memories };
  };
}

function lookupOf(memory: Memory, embeddings: LangchainOptions['embeddings']): Lookup {
  if (!isTexts(memory)) return lookupIn(memory);
  return embeddings === undefined ? byWords(memory) : byMeaning(memory, embeddings);
}

function isTexts(memory: Memory): memory is readonly string[] {
  return Array.isArray(memory);
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
