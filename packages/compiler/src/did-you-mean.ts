/** Longer strings are not names, and comparing them would cost time. */
const longestName = 64;

/** Hand-written definitions have fewer names. Further candidates are not compared. */
const mostCandidates = 1_000;

/** With more typos it is another name, even a long one. */
const mostSlips = 3;

/** Words that authors use for a known name, in lower case: `{ equals: 'value_given' }`. */
export type Synonyms = Readonly<Record<string, string>>;

/** `Did you mean "farewell"?`, or nothing when no known name is near. */
export function didYouMean(
  name: string,
  known: Iterable<string>,
  synonyms?: Synonyms,
): string | undefined {
  const nearest = nearestName(name, known, synonyms);
  return nearest === undefined ? undefined : `Did you mean "${nearest}"?`;
}

/**
 * The name that a hint "Did you mean …?" suggests in place of the one in the text; undefined for another hint.
 *
 * @example
 * ```ts
 * console.log(suggestedName('Did you mean "farewell"?')); // → farewell
 * ```
 */
export function suggestedName(hint: string | undefined): string | undefined {
  return /^Did you mean "([^"]+)"\?$/m.exec(hint ?? '')?.[1];
}

/**
 * The known name that a given one is probably a misspelling of: at most one slip in four letters, and three altogether. A slip is
 * an extra, a missing or a wrong letter, or two that are swapped. Case, spaces, hyphens and underscores do not count. A name
 * whose end is left out counts too.
 *
 * @param synonyms other words for known names, which are looked up when no name is near
 * @returns the nearest name, of several the first; undefined when none is near
 */
export function nearestName(
  name: string,
  known: Iterable<string>,
  synonyms: Synonyms = {},
): string | undefined {
  if (name.length > longestName) return undefined;
  const wanted = letters(name);
  let best: string | undefined;
  let bestDistance = slipsIn(wanted) + 1;
  let compared = 0;
  for (const candidate of known) {
    compared += 1;
    if (compared > mostCandidates) break;
    const other = letters(candidate);
    if (candidate === name || Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, other, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (best !== undefined) return best;
  const whole = [...known].slice(0, mostCandidates).find((one) => isMostOf(wanted, letters(one)));
  if (whole !== undefined) return whole;
  const meant = Object.entries(synonyms).find(([synonym]) => letters(synonym) === wanted);
  return meant?.[1];
}

/** How many slips a name of this length may have. */
function slipsIn(name: string): number {
  return Math.min(mostSlips, Math.floor((name.length + 1) / 4));
}

/** Whether a name is the beginning of another one, with less than a quarter left out. */
function isMostOf(name: string, whole: string): boolean {
  return name !== whole && whole.startsWith(name) && name.length * 4 > whole.length * 3;
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Edits (insert, delete, replace, swap neighbours) from one string to another, or `limit` when there are as many or more. */
function editDistance(from: string, to: string, limit: number): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + (same ? 0 : 1),
      );
      const swapped =
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, beforePrevious[column - 2]! + 1);
      current.push(cost);
    }
    if (Math.min(...current) >= limit) return limit;
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length]!;
}
