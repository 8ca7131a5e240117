/** A memory that was found. A higher `score` means closer to the query. */
export interface MemoryMatch {
  readonly text: string;
  readonly score?: number | undefined;
}

/** Looks up a query. The closest match comes first. */
export type Lookup = (
  query: string,
  limit: number,
  signal: AbortSignal,
) => Promise<readonly MemoryMatch[]> | readonly MemoryMatch[];

interface Document {
  readonly pageContent: string;
}

/** The part of LangChain's vector stores that is used. The closest match comes first. The number may be a similarity or a distance. */
interface VectorStore {
  readonly similaritySearchWithScore: (
    query: string,
    k: number,
  ) => Promise<readonly (readonly [Document, number])[]>;
}

/** The part of LangChain's retrievers that is used. */
interface Retriever {
  readonly invoke: (
    query: string,
    config?: { signal?: AbortSignal },
  ) => Promise<readonly Document[]>;
}

/** Texts, a vector store or a retriever of LangChain, or a function. */
export type Memory = readonly string[] | VectorStore | Retriever | Lookup;

export function isTexts(memory: Memory): memory is readonly string[] {
  return Array.isArray(memory);
}

/** Makes the lookup of a memory. The caller handles lists of texts. */
export function lookupIn(memory: Exclude<Memory, readonly string[]>): Lookup {
  if (typeof memory === 'function') return memory;
  if ('similaritySearchWithScore' in memory) {
    return async (query, limit) => {
      const found = await memory.similaritySearchWithScore(query, limit);
      return found.map(([{ pageContent }, score]) => ({ text: pageContent, score }));
    };
  }
  return async (query, limit, signal) => {
    const found = await memory.invoke(query, { signal });
    return found.slice(0, limit).map(({ pageContent }) => ({ text: pageContent }));
  };
}
