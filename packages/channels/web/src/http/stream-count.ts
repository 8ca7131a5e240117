import { ChatError } from './chat-error.ts';

/** Open pages of one visitor. */
const streamsMax = 10;

/** Counts the open streams of each visitor. */
export class StreamCount {
  readonly #open = new Map<string, number>();

  /**
   * Counts a stream.
   *
   * @returns ends the count
   * @throws ChatError with the status 429
   */
  open(contact: string): () => void {
    const count = this.#open.get(contact) ?? 0;
    if (count >= streamsMax)
      throw new ChatError(429, 'chat/too-many-streams', 'The chat is open in too many pages.', {
        retryAfterMs: 10_000,
      });
    this.#open.set(contact, count + 1);
    return () => {
      const left = this.#open.get(contact)! - 1;
      if (left === 0) this.#open.delete(contact);
      else this.#open.set(contact, left);
    };
  }
}
