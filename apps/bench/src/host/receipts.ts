/** Notifies the sender of a message, in the same process, that its answer was delivered or that the receipt is stored. */
export class Receipts {
  readonly #waiting = new Map<string, () => void>();

  /** Fulfils with the next receipt of a conversation. */
  next(id: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  fulfil(id: string): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }
}
