import { messageText, replyText } from '../host/stage.ts';

/** The last answer that was delivered in each conversation. */
export class Answers {
  readonly #last = new Map<string, string>();

  /** The channel of the contenders. */
  deliver(id: string, text: string): void {
    this.#last.set(id, text);
  }

  /** @throws Error when the turn has not delivered its answer */
  check(id: string, turn: number): void {
    const text = this.#last.get(id);
    if (text !== replyText(messageText(turn)))
      throw new Error(`Turn ${turn} of ${id} delivered ${JSON.stringify(text)}.`);
  }
}
