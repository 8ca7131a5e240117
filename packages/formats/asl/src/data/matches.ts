/** From where to where in a text, and what was found there. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** What one search finds in a text, with a limit: what comes after it is one match, so that nothing is overlooked. */
export function bounded(matches: Iterable<Match>, text: string): Match[] {
  const found: Match[] = [];
  for (const match of matches) {
    if (found.length === mostMatches) {
      found.push({ ...match, end: text.length });
      break;
    }
    found.push(match);
  }
  return found;
}

const mostMatches = 10_000;
