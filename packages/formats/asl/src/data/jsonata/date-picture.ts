/** The most ways to read a text: takes some milliseconds. */
const mostWays = 1_000_000;

/**
 * Whether the library can read a text by a picture such as `[Y0001]-[M01]` quickly. Its patterns have no length limit,
 * so it tries every way to split a text among parts without a separator.
 */
export function isQuickToRead(text: string, picture: string): boolean {
  const pieces = picture.match(/\[\[|\[[^\]]*\]?|[^[]+/g) ?? [];
  const hasWords = pieces.some((piece) => /^\[\s*\w\s*[wW]/.test(piece));
  const separator = hasWords ? /[^A-Za-z0-9 ,-]/ : /[^A-Za-z0-9]/;
  let shares = 0;
  let isFree = false;
  for (const piece of pieces) {
    if (piece.startsWith('[') && piece !== '[[') {
      if (isFree) shares += 1;
      isFree = true;
    } else if (separator.test(piece)) isFree = false;
  }
  return shares === 0 || waysOf(text.length, shares + 1) <= mostWays;
}

/** The number of ways to choose positions in a text. */
function waysOf(length: number, places: number): number {
  let ways = 1;
  for (let place = 0; place < places && ways <= mostWays; place += 1) {
    ways = (ways * Math.max(length - place, 1)) / (place + 1);
  }
  return ways;
}
