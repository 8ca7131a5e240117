import { RE2JS, RE2Set } from 're2js';
import { CountedText } from './counted-text.ts';

/** Bytes for the states of an automaton. Few patterns have more than a hundred states. */
const statesBytesMax = 1_000_000;
/** The engine reads a character up to three times. One that reads more has given up on states. */
const readsPerCharacterMax = 4;
/** Making a state takes as long as that many reads for each instruction of the pattern. */
const readsPerInstruction = 2;

/**
 * A pattern as a deterministic automaton that makes its states when it needs them and keeps them. Reading a character is
 * one step, however many ways the pattern has to match. It finds out whether a pattern matches, and not where.
 */
export class Automaton {
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

/** Also counts the states that are made while the text is read. */
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
