import { LinearRegex } from './jsonata/linear-regex.ts';
import { bounded, type Match } from './matches.ts';

/** How often a search may read each character, and characters that a search of a short text may read. */
const [readsPerCharacter, leastReads] = [16, 500_000];

/**
 * A pattern such as `"\\d{4}"`, or `"/secret/i"` as in the specification. Matches in linear time: when the pattern reads the
 * text again for each match, the rest of the text counts as one match, so that nothing is missed.
 */
export class LinearPattern {
  readonly #regex: LinearRegex;

  /** @throws Error when the pattern is invalid, or cannot be matched in linear time */
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
    return bounded(this.#search(text), text);
  }

  *#search(text: string): Generator<Match> {
    this.#regex.lastIndex = 0;
    const mostReads = this.#regex.reads + leastReads + readsPerCharacter * text.length;
    for (let at = this.#regex.exec(text); at; at = this.#regex.exec(text)) {
      const end = at.index + at[0]!.length;
      yield { start: at.index, end, kind: 'pattern' };
      if (this.#regex.reads > mostReads) {
        yield { start: end, end: text.length, kind: 'pattern' };
        return;
      }
      // Otherwise an empty match is found again and again.
      if (end === at.index) this.#regex.lastIndex = end + 1;
    }
  }
}
