import { DramaturgError } from '@dramaturg/compiler';

/** Reading one character at a time is about that much slower than searching for a text. */
const searchSpeed = 16;

/** Thrown through the engine of patterns, out of a search that has read too much. */
export class TooManyReadsError extends DramaturgError<'asl/too-many-reads'> {
  override readonly name = 'TooManyReadsError';

  constructor() {
    super('asl/too-many-reads', 'A search has read too much.');
  }
}

/**
 * A text that counts the characters that are read. A search that finds little may have read the text to its end, so the
 * length of its match does not tell its work.
 */
export class CountedText extends String {
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
