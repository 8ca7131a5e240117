import { LinearRegex } from './jsonata/linear-regex.ts';

/** From where to where in a text, and what was found there. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** `"\\d{4}"`, or `"/secret/i"` as upstream writes it. Matched in time linear in the text. */
export class LinearPattern {
  readonly #regex: LinearRegex;

  /** @throws Error when the pattern cannot be read, or cannot be matched in linear time */
  constructor(written: string) {
    const delimited = /^\/(.*)\/([a-z]*)$/s.exec(written);
    const flags = delimited?.[2] ?? '';
    this.#regex = new LinearRegex({
      source: delimited?.[1] ?? written,
      ignoreCase: flags.includes('i'),
      multiline: flags.includes('m'),
    });
  }

  matches(text: string): Match[] {
    const found: Match[] = [];
    this.#regex.lastIndex = 0;
    for (let at = this.#regex.exec(text); at; at = this.#regex.exec(text)) {
      const end = at.index + at[0]!.length;
      found.push({ start: at.index, end, kind: 'pattern' });
      if (found.length === mostMatches) break;
      // An empty match must not be found again.
      if (end === at.index) this.#regex.lastIndex = end + 1;
    }
    return found;
  }
}

export const mostMatches = 10_000;
