import type { AnswerPart } from './answer-part.ts';

/** The text of one reply: its parts as they come, and then the text that is stored. */
export class ReplyText {
  #key: string | undefined;
  /** What was given on. */
  #text = '';
  /** What the running attempt has made. */
  #attempt = '';
  #isWithdrawn = false;

  /** A part `{ key, text, offset }`. One with the offset 0 begins again. */
  *add(part: { readonly [field: string]: unknown }): Generator<AnswerPart, void> {
    const { key, text, offset } = part;
    if (typeof key !== 'string' || typeof text !== 'string') return;
    if (text === '') {
      this.#attempt = '';
      if (key !== this.#key || this.#isWithdrawn) return;
      this.#isWithdrawn = true;
      return yield { type: 'text-withdrawn', key };
    }
    if (this.#key === undefined) {
      this.#key = key;
      yield { type: 'text-start', key };
    }
    if (key !== this.#key) return;
    // A repeated attempt may say the same again: only what goes beyond is new.
    this.#attempt = this.#attempt.slice(0, Number(offset)) + text;
    if (this.#isWithdrawn || !this.#attempt.startsWith(this.#text)) return;
    const delta = this.#attempt.slice(this.#text.length);
    this.#text = this.#attempt;
    if (delta !== '') yield { type: 'text-delta', key, text: delta };
  }

  /** The message `{ key, text }` that is stored. */
  *end(message: { readonly [field: string]: unknown }): Generator<AnswerPart, void> {
    const [key, text] = [String(message['key']), String(message['text'])];
    if (this.#key !== key) {
      this.#text = '';
      yield { type: 'text-start', key };
    }
    const isReplaced = this.#isWithdrawn || !text.startsWith(this.#text);
    const delta = isReplaced ? '' : text.slice(this.#text.length);
    if (delta !== '') yield { type: 'text-delta', key, text: delta };
    yield { type: 'text-end', key, text, isReplaced };
  }
}
