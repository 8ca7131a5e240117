/** A range of a text, and the kind of the match. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/**
 * The matches of one search, up to a limit. The rest of the text then counts as one match, so that nothing is missed.
 */
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
