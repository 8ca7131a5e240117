import { engines } from '#engines';
import type { LinearRegex } from './jsonata/linear-regex.ts';
import { SearchBudget, TooManyReadsError } from './pattern.ts';

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

/** Each pattern has a bounded length, so that a search is linear in the text. */
const patterns: Readonly<Record<string, RegExp>> = {
  phone: /(?<![\d-])\+?\d[\d ().-]{6,18}\d(?![\d-])/g,
  ssn: /\b\d{3}-\d{2}-\d{4}\b/g,
  credit_card: /\b\d(?:[ -]?\d){12,18}\b/g,
  ip_address: /\b\d{1,3}(?:\.\d{1,3}){3}\b/g,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g,
};

/** Kinds of personal data that have a distinct form. */
export const personalDataKinds: readonly string[] = ['email', ...Object.keys(patterns)];

/** The most steps for a character that all searches take together. */
const stepsPerCharacter = 3.2;
/** The most characters of one piece of personal data. */
const longest = 1_000;

/** Finds personal data. When the steps are used up, the rest of the text counts as one match of the kind `unchecked`. */
export function personalData(
  text: string,
  kinds: readonly string[],
  budget = new SearchBudget(),
): Match[] {
  const length = Math.min(text.length, Math.floor(budget.stepsLeft / stepsPerCharacter));
  budget.stepsLeft -= length * stepsPerCharacter;
  const searched = length === text.length ? text : text.slice(0, length);
  const matches = kinds.flatMap((kind) => bounded(search(searched, kind), text));
  // A match that begins before the limit may end after it.
  if (length < text.length)
    matches.push({ start: Math.max(0, length - longest), end: text.length, kind: 'unchecked' });
  return matches;
}

function* search(text: string, kind: string): Generator<Match> {
  if (kind === 'email') yield* emails(text);
  const pattern = Object.hasOwn(patterns, kind) ? patterns[kind] : undefined;
  for (const { 0: found, index } of pattern ? text.matchAll(pattern) : []) {
    if (kind === 'credit_card' && !isCardNumber(found)) continue;
    yield { start: index, end: index + found.length, kind };
  }
}

const isOfLocalPart = /[\w.%+-]/;
const longestLocalPart = 64;

/**
 * Finds addresses by their `@`: a pattern that begins with the local part would read the same characters again for each
 * place where it may begin.
 */
function* emails(text: string): Generator<Match> {
  const domain = /[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){1,8}/y;
  let end = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const first = Math.max(end, at - longestLocalPart);
    let start = at;
    while (start > first && isOfLocalPart.test(text[start - 1]!)) start -= 1;
    domain.lastIndex = at + 1;
    if (start === at || !domain.test(text)) continue;
    end = domain.lastIndex;
    yield { start, end, kind: 'email' };
  }
}

/** The Luhn checksum. Card numbers have it; most other long numbers do not. */
function isCardNumber(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').split('').toReversed().map(Number);
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
