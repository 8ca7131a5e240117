/** Milliseconds without a write after which a record is settled though its log is small. */
const quietMs = 5_000;
const intervalMs = 1_000;
const concurrencyMax = 16;

/** Records with a log that is not empty. They are settled when nobody waits for the device, and before the end. */
export class CompactionQueue {
  readonly #compact: (id: string) => Promise<void>;
  /** When each was written last, the longest ago first. */
  readonly #lastWrites = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isClosed = false;

  constructor(settle: (id: string) => Promise<void>, ids: readonly string[]) {
    this.#compact = settle;
    for (const id of ids) this.add(id);
  }

  add(id: string): void {
    this.#lastWrites.delete(id);
    this.#lastWrites.set(id, performance.now());
    this.#startTimer();
  }

  delete(id: string): void {
    this.#lastWrites.delete(id);
  }

  /** @param settle whether to settle them all first; a log that is not settled is read when the store is opened */
  async close(settle: boolean): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#round;
    if (!settle) return;
    const ids = this.#lastWrites.keys();
    const settleInTurn = async () => {
      for (const id of ids) await this.#compactOne(id);
    };
    await Promise.all(Array.from({ length: concurrencyMax }, settleInTurn));
  }

  #startTimer(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#round = this.#compactQuiet();
    }, intervalMs).unref();
  }

  async #compactQuiet(): Promise<void> {
    for (const [id, since] of this.#lastWrites) {
      if (this.#isClosed || performance.now() - since < quietMs) break;
      await this.#compactOne(id);
    }
    this.#timer = undefined;
    if (this.#lastWrites.size > 0) this.#startTimer();
  }

  async #compactOne(id: string): Promise<void> {
    this.#lastWrites.delete(id);
    try {
      await this.#compact(id);
    } catch {
      // A record that is damaged has been set aside, and whoever asks for it is told.
    }
  }
}
