import { editDistance } from '@dramaturg/compiler/text';

/** Words longer than this must match exactly. */
const longestWord = 24;

/** How many letters differ between two words, or Infinity for words that are too long or too different. */
export function distanceBetween(a: string, b: string): number {
  const isFar = a.length > longestWord || Math.abs(a.length - b.length) > 2;
  return isFar && a !== b ? Infinity : editDistance(a, b, 3);
}

/** Shorter words must match exactly, because one typo often makes another word of them. */
const shortestCorrected = 6;

/** Whether two words are equal or differ by one typo: "acount" and "account". */
export function isSlipOf(said: string, meant: string): boolean {
  if (said === meant) return true;
  const isLong = said.length >= shortestCorrected && meant.length >= shortestCorrected;
  return isLong && said[0] === meant[0] && distanceBetween(said, meant) <= 1;
}

/** The words of a list, or its phrases between bars. */
export function listed(text: string): Set<string> {
  return new Set(text.split(text.includes('|') ? '|' : /\s+/u).map((each) => each.trim()));
}

/** How many letters of a word may be wrong. */
export function typosAllowed(word: string): number {
  if (word.length <= 3) return 0;
  return word.length < 8 ? 1 : 2;
}
