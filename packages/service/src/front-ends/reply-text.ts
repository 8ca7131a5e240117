import type { AnswerPart } from './answer-part.ts';

interface StoredText {
  readonly id: string;
  readonly text: string;
  readonly isByHand: boolean;
  readonly by?: string | undefined;
}

/** The text of one message: its parts as they come, and then the text that is stored. The time is linear in the length of the text. */
export class ReplyText {
  readonly key: string;
  /** What the client has. */
  #given: string;
  /** How much the running attempt has made. */
  #length = 0;
  /** The running attempt says something else than what was given. */
  #isOther = false;
  #isStarted = false;
  #isWithdrawn = false;

  /** @param given the beginning that the client has already */
  constructor(key: string, given = '') {
    this.key = key;
    this.#given = given;
  }

  /** A part `{ text, offset }`. One with the offset 0 begins again. */
  *add({ text, offset }: { readonly [field: string]: unknown }): Generator<AnswerPart, void> {
    if (typeof text !== 'string') return;
    if (offset !== this.#length) [this.#length, this.#isOther] = [Number(offset), false];
    if (text === '') return yield* this.withdraw();
    // A repeated attempt may say the same again: only what goes beyond is new.
    const repeated = this.#given.slice(this.#length, this.#length + text.length);
    this.#isOther ||= !text.startsWith(repeated);
    this.#length += text.length;
    if (this.#isOther || this.#isWithdrawn) return;
    yield* this.#give(text.slice(repeated.length));
  }

  /** The message that is stored. */
  *end({ text, isByHand, by }: StoredText): Generator<AnswerPart, void> {
    const { key } = this;
    const isReplaced = this.#isWithdrawn || !text.startsWith(this.#given);
    if (!this.#isStarted && !isReplaced && text === this.#given) return;
    yield* this.#start(isByHand, by);
    if (!isReplaced) yield* this.#give(text.slice(this.#given.length));
    yield { type: 'text-end', key, text, isReplaced };
  }

  /** Takes back what was given of it. */
  *withdraw(): Generator<AnswerPart, void> {
    if (!this.#isStarted || this.#isWithdrawn) return;
    this.#isWithdrawn = true;
    yield { type: 'text-withdrawn', key: this.key };
  }

  *#give(text: string): Generator<AnswerPart, void> {
    if (text === '') return;
    yield* this.#start(false);
    this.#given += text;
    yield { type: 'text-delta', key: this.key, text };
  }

  *#start(isByHand: boolean, by?: string): Generator<AnswerPart, void> {
    if (!this.#isStarted) yield { type: 'text-start', key: this.key, isByHand, by };
    this.#isStarted = true;
  }
}
