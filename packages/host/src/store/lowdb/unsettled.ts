/** Milliseconds without a write after which a record is settled though its log is small. */
const quiet = 5_000;
const interval = 1_000;
const atOnce = 16;

/** Records with a log that is not empty. They are settled when nobody waits for the device, and before the end. */
export class Unsettled {
  readonly #settle: (id: string) => Promise<void>;
  /** When each was written last, the longest ago first. */
  readonly #since = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isClosed = false;

  constructor(settle: (id: string) => Promise<void>, ids: readonly string[]) {
    this.#settle = settle;
    for (const id of ids) this.add(id);
  }

  add(id: string): void {
    this.#since.delete(id);
    this.#since.set(id, performance.now());
    this.#wait();
  }

  delete(id: string): void {
    this.#since.delete(id);
  }

  /** @param settle whether to settle them all first; a log that is not settled is read when the store is opened */
  async close(settle: boolean): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#round;
    if (!settle) return;
    const ids = this.#since.keys();
    const settleInTurn = async () => {
      for (const id of ids) await this.#settleOne(id);
    };
    await Promise.all(Array.from({ length: atOnce }, settleInTurn));
  }

  #wait(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#round = this.#settleQuiet();
    }, interval).unref();
  }

  async #settleQuiet(): Promise<void> {
    for (const [id, since] of this.#since) {
      if (this.#isClosed || performance.now() - since < quiet) break;
      await this.#settleOne(id);
    }
    this.#timer = undefined;
    if (this.#since.size > 0) this.#wait();
  }

  async #settleOne(id: string): Promise<void> {
    this.#since.delete(id);
    try {
      await this.#settle(id);
    } catch {
      // A record that is damaged has been set aside, and whoever asks for it is told.
    }
  }
}
