import { RE2JS, RE2Set } from 're2js';
import { TooManyReadsError } from '../pattern.ts';

/** How much slower reading one character at a time is than searching for a string. */
const searchSpeed = 16;

/**
 * A string that counts how many of its characters are read. A search may read to the end for a short match, so the
 * length of the match does not measure the work.
 */
class CountedText extends String {
  reads = 0;
  readonly #readsMax: number;

  /** @param readsMax a search that reads more ends with `TooManyReadsError` */
  constructor(text: string, readsMax = Infinity) {
    super(text);
    this.#readsMax = readsMax;
  }

  override charCodeAt(at: number): number {
    this.count(1);
    return super.charCodeAt(at);
  }

  override indexOf(wanted: string, from = 0): number {
    const found = super.indexOf(wanted, from);
    this.count(((found < 0 ? this.length : found) - from) / searchSpeed);
    return found;
  }

  /** @throws TooManyReadsError */
  protected count(reads: number): void {
    this.reads += reads;
    if (this.reads > this.#readsMax) throw new TooManyReadsError();
  }
}

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
   * @throws TooManyReadsError when that takes more than `readsMax` reads
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
   * @throws TooManyReadsError when the search takes more than `readsMax` reads
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

/** Bytes for the states of an automaton. Few patterns have more than a hundred states. */
const statesBytesMax = 1_000_000;
/** The engine reads a character up to three times. If it reads more, it has given up on states. */
const readsPerCharacterMax = 4;
/** Making a state takes as long as that many reads for each instruction of the pattern. */
const readsPerInstruction = 2;

/**
 * A pattern as a deterministic automaton that makes its states when it needs them and keeps them. Reading a character is
 * one step, however many ways the pattern has to match. It finds whether a pattern matches, and not where.
 */
class Automaton {
  readonly #set: RE2Set;
  readonly #readsPerState: number;

  /** @param flags flags of `RE2JS` */
  constructor(source: string, flags: number) {
    this.#set = new RE2Set(RE2Set.UNANCHORED, flags, statesBytesMax);
    this.#set.add(source);
    this.#set.compile();
    this.#readsPerState = readsPerInstruction * RE2JS.compile(source, flags).programSize();
  }

  /**
   * @returns whether the pattern matches anywhere in the text, and the reads that this took; making states counts as reads
   * @throws TooManyReadsError
   */
  test(text: string, readsMax: number): { readonly matches: boolean; readonly reads: number } {
    const { dfa } = this.#set;
    const counted = new AutomatonText(text, readsMax, () => dfa.stateCount, this.#readsPerState);
    const matches = this.#set.match(counted as unknown as string).length > 0;
    return { matches, reads: counted.reads };
  }
}

/** A text that also counts the states that are made while it is read. */
class AutomatonText extends CountedText {
  readonly #stateCount: () => number;
  readonly #readsPerState: number;
  #charactersLeft: number;
  #states: number;

  constructor(text: string, readsMax: number, stateCount: () => number, readsPerState: number) {
    super(text, readsMax);
    this.#stateCount = stateCount;
    this.#readsPerState = readsPerState;
    this.#charactersLeft = readsPerCharacterMax * (text.length + 16);
    this.#states = stateCount();
  }

  protected override count(reads: number): void {
    const states = this.#stateCount();
    const made = states === this.#states ? 0 : this.#readsPerState;
    this.#states = states;
    this.#charactersLeft -= reads;
    super.count(this.#charactersLeft < 0 ? Infinity : reads + made);
  }
}
