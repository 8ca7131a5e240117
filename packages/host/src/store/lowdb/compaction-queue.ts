/** A record without a write for this long is compacted even when its log is small. */
const quietMs = 5_000;
const intervalMs = 1_000;
const concurrencyMax = 16;

/**
 * The records whose logs are not empty. Owns the timer of background compaction. A record in the queue is compacted
 * when it has been quiet for five seconds, one at a time, and all are compacted when the queue is closed.
 *
 * States: empty (no timer) → waiting (timer) → compacting quiet records → waiting or empty; and from all of them
 * closed.
 */
export class CompactionQueue {
  readonly #compact: (id: string) => Promise<void>;
  /** The time of the last write by record id, oldest first. */
  readonly #lastWrites = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isClosed = false;

  constructor(compact: (id: string) => Promise<void>, ids: readonly string[]) {
    this.#compact = compact;
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

  /** @param compactAll whether to compact all records first; other logs are read when the store is opened again */
  async close(compactAll: boolean): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#round;
    if (!compactAll) return;
    const ids = this.#lastWrites.keys();
    const compactInTurn = async () => {
      for (const id of ids) await this.#compactOne(id);
    };
    await Promise.all(Array.from({ length: concurrencyMax }, compactInTurn));
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
      // The record was damaged and has been set aside. Later calls for it reject with `store/damaged`.
    }
  }
}
