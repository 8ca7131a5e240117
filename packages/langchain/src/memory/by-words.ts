import type { Lookup } from './memory.ts';

/** Compares texts by the words they share, where a rare word counts for more than one that is everywhere. */
export function byWords(texts: readonly string[]): Lookup {
  const documents = texts.map((text) => ({ text, words: new Set(wordsOf(text)) }));
  const weightOf = (word: string) => {
    const having = documents.filter(({ words }) => words.has(word)).length;
    return having === 0 ? 0 : Math.log(1 + documents.length / having);
  };
  return (query, limit) => {
    const wanted = [...new Set(wordsOf(query))].map((word) => ({ word, weight: weightOf(word) }));
    const all = wanted.reduce((sum, { weight }) => sum + weight, 0);
    return documents
      .map(({ text, words }) => {
        const shared = wanted.filter(({ word }) => words.has(word));
        return {
          text,
          score: all === 0 ? 0 : shared.reduce((sum, { weight }) => sum + weight, 0) / all,
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
      // A plural is the same word, in the languages where it is made with an s.
      .map((word) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word))
  );
}
