import { storeClosed } from './errors.ts';
import type { Ownership } from './ownership.ts';

/** The ownership of a store that no other process can take: it lasts until the store is closed. */
export class SoleOwnership implements Ownership {
  readonly lost: AbortSignal = new AbortController().signal;
  #isClosed = false;

  isCertain(): boolean {
    return !this.#isClosed;
  }

  async confirm(): Promise<void> {
    if (this.#isClosed) throw storeClosed();
  }

  close(): void {
    this.#isClosed = true;
  }
}
