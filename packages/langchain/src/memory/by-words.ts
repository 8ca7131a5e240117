import type { Lookup } from './memory.ts';

/** Compares texts by the words they share. Rare words have more weight than common ones. */
export function byWords(texts: readonly string[]): Lookup {
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
