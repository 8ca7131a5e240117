import type { EmbeddingsInterface } from '@langchain/core/embeddings';
import type { Lookup } from './memory.ts';

/** Compares texts by the angle between their embeddings. The texts are embedded once, at the first query. */
export function byMeaning(texts: readonly string[], embeddings: EmbeddingsInterface): Lookup {
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
