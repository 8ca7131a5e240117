import { readLines } from '../store/pages.ts';
import type { Transcript } from './transcript.ts';

/** The lifecycle recognises the ids of so many messages by itself. */
export const seenByLifecycle = 32;

/**
 * Recognises messages that are received again. Their ids are in the transcript, and in memory once they are needed; the snapshot has
 * only how many there are.
 */
export class ReceivedIds {
  readonly #transcript: Transcript;
  readonly #ids = new Set<string>();
  #isLoaded: boolean;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    this.#isLoaded = transcript.length === 0;
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  /** @param count how many messages the instance has received */
  async has(id: string, count: number): Promise<boolean> {
    if (!this.#isLoaded && count > seenByLifecycle) {
      for await (const lines of readLines(this.#transcript.read))
        for (const { id: received, role } of lines) if (role === 'contact') this.add(received);
      this.#isLoaded = true;
    }
    return this.#ids.has(id);
  }
}
