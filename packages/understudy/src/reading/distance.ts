/** Words longer than this must match exactly. */
const longestWord = 24;

/**
 * How many letters differ between two words: inserted, left out, replaced, or two neighbours swapped.
 *
 * @returns Infinity for words too long to compare
 */
export function distanceBetween(a: string, b: string): number {
  if (a.length > longestWord || b.length > longestWord) return a === b ? 0 : Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + cost,
      );
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (row > 1 && column > 1 && isSwap)
        least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

/** Shorter words must match exactly, because one typo often makes another word of them. */
const shortestCorrected = 6;

/** Whether two words are equal or differ by one typo: "acount" and "account". */
export function isSlipOf(said: string, meant: string): boolean {
  if (said === meant) return true;
  const isLong = said.length >= shortestCorrected && meant.length >= shortestCorrected;
  return isLong && said[0] === meant[0] && distanceBetween(said, meant) <= 1;
}

/** How many letters of a word may be wrong. */
export function typosAllowed(word: string): number {
  if (word.length <= 3) return 0;
  return word.length < 8 ? 1 : 2;
}
