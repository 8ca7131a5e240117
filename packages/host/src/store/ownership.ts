import { storeClosed } from './errors.ts';

/**
 * The ownership of an open store (H6). Another process may take it while this one is stalled or cut off. The store itself refuses
 * every write of an owner that has lost it. The host checks the ownership before its effects on the outside.
 */
export interface Ownership {
  /** Aborts when another owner has taken the store, with a StoreError `store/lost` as its reason. */
  readonly lost: AbortSignal;
  /** Whether this process has the store, and no other can own it at this instant. Reads only clocks. */
  isCertain(): boolean;
  /**
   * Fulfils when no other process can own the store. Waits while this cannot be determined.
   *
   * @throws `store/lost`, `store/closed`
   */
  confirm(): Promise<void>;
}

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
