import { RE2JS } from 're2js';
import { Automaton } from './automaton.ts';
import { CountedText } from './counted-text.ts';

/**
 * Patterns that match in linear time: patterns of JavaScript can hang the process (ReDoS). Lookarounds and
 * backreferences are not supported.
 */
export class LinearRegex {
  lastIndex = 0;
  /** The characters that all searches have read. */
  reads = 0;
  readonly #pattern: RE2JS;
  readonly #flags: number;
  #automaton: Automaton | undefined;
  #last: { text: string; read: CountedText; matcher: ReturnType<RE2JS['matcher']> } | undefined;

  /** @throws Error when the pattern cannot be matched in linear time */
  constructor(pattern: Pick<RegExp, 'source' | 'ignoreCase' | 'multiline'>) {
    this.#flags =
      (pattern.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (pattern.multiline ? RE2JS.MULTILINE : 0);
    this.#pattern = RE2JS.compile(RE2JS.translateRegExp(pattern.source), this.#flags);
  }

  /** The number of instructions. The time of a search is at most in proportion to it. */
  get size(): number {
    return this.#pattern.programSize();
  }

  /**
   * Whether the pattern matches anywhere in the text. Much faster than `exec` for a long text.
   *
   * @throws TooManyReads when that takes more than `readsMax` reads
   */
  test(text: string, readsMax: number): boolean {
    this.#automaton ??= new Automaton(this.#pattern.pattern(), this.#flags);
    const { matches, reads } = this.#automaton.test(text, readsMax);
    this.reads += reads;
    return matches;
  }

  /**
   * Like `RegExp.prototype.exec` with the flag `g`.
   *
   * @throws TooManyReads when the search takes more than `readsMax` reads
   */
  exec(text: string, readsMax = Infinity): (string[] & { index: number }) | null {
    // A text with many matches takes half as long when they share a matcher.
    if (this.#last?.text !== text || readsMax !== Infinity) {
      const read = new CountedText(text, readsMax);
      this.#last = { text, read, matcher: this.#pattern.matcher(read as unknown as string) };
    }
    const { read, matcher } = this.#last;
    const before = read.reads;
    const isFound = this.lastIndex <= text.length && matcher.find(this.lastIndex);
    this.reads += read.reads - before;
    if (!isFound) {
      this.lastIndex = 0;
      return null;
    }
    this.lastIndex = matcher.end();
    const groups = Array.from(
      { length: matcher.groupCount() + 1 },
      (_, group) => matcher.group(group) ?? '',
    );
    return Object.assign(groups, { index: matcher.start() });
  }
}
