import { engines } from '#engines';
import type { LinearRegex } from './jsonata/linear-regex.ts';
import { bounded, type Match } from './matches.ts';
import { SearchBudget, TooManyReadsError } from './search-budget.ts';

/** Steps of each read of a character, in addition to one for each instruction of the pattern. */
const stepsPerRead = 4;
/** Steps for each read of the automaton that finds out whether there is a match. */
const stepsPerTestRead = 4;
/** Texts up to this length are searched directly. It pays to test first whether a longer text has a match. */
const shortText = 1_024;

/**
 * A pattern such as `"\\d{4}"`, or `"/secret/i"` as in the specification. Matches in linear time. When the steps are used
 * up, the rest of the text counts as one match of the kind `unchecked`, so that nothing is missed.
 */
export class LinearPattern {
  readonly #regex: LinearRegex;

  /** @throws Error when the pattern is invalid, or cannot be matched in linear time */
  constructor(written: string) {
    const delimited = /^\/(.*)\/([a-z]*)$/s.exec(written);
    const flags = delimited?.[2] ?? '';
    const { LinearRegex: Regex } = engines();
    this.#regex = new Regex({
      source: delimited?.[1] ?? written,
      ignoreCase: flags.includes('i'),
      multiline: flags.includes('m'),
    });
  }

  matches(text: string, budget = new SearchBudget()): Match[] {
    return bounded(this.#search(text, budget), text);
  }

  *#search(text: string, budget: SearchBudget): Generator<Match> {
    let end = 0;
    try {
      if (text.length > shortText && !this.#test(text, budget)) return;
      this.#regex.lastIndex = 0;
      for (let match = this.#next(text, budget); match; match = this.#next(text, budget)) {
        end = match.index + match[0]!.length;
        yield { start: match.index, end, kind: 'pattern' };
        // Without this, an empty match would be found again and again.
        if (end === match.index) this.#regex.lastIndex = end + 1;
      }
    } catch (error) {
      if (!(error instanceof TooManyReadsError)) throw error;
      budget.stepsLeft = 0;
      yield { start: end, end: text.length, kind: 'unchecked' };
    }
  }

  /** @throws TooManyReadsError */
  #test(text: string, budget: SearchBudget): boolean {
    const before = this.#regex.reads;
    const matches = this.#regex.test(text, budget.stepsLeft / stepsPerTestRead);
    budget.stepsLeft -= (this.#regex.reads - before) * stepsPerTestRead;
    return matches;
  }

  /** @throws TooManyReadsError */
  #next(text: string, budget: SearchBudget): ReturnType<LinearRegex['exec']> {
    const stepsOfRead = stepsPerRead + this.#regex.size;
    const before = this.#regex.reads;
    const match = this.#regex.exec(text, budget.stepsLeft / stepsOfRead);
    budget.stepsLeft -= (this.#regex.reads - before) * stepsOfRead;
    return match;
  }
}
