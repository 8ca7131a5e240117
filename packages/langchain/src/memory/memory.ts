/** Something remembered. `score`: the higher, the closer to the query. */
export interface Remembered {
  readonly text: string;
  readonly score?: number | undefined;
}

/** Looks up a query, the closest first. */
export type Lookup = (
  query: string,
  limit: number,
  signal: AbortSignal,
) => Promise<readonly Remembered[]> | readonly Remembered[];

interface Document {
  readonly pageContent: string;
}

/** What a vector store of LangChain has. The number is a similarity in some and a distance in others, the closest comes first. */
interface VectorStore {
  readonly similaritySearchWithScore: (
    query: string,
    k: number,
  ) => Promise<readonly (readonly [Document, number])[]>;
}

/** What a retriever of LangChain has. */
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

/** How a memory is looked up; texts are left to whoever calls. */
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
