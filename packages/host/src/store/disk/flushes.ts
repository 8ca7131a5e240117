import { fdatasync, fdatasyncSync } from 'node:fs';
import { promisify } from 'node:util';

/** A flush that takes less time is faster than its transfer to another thread. */
const fastMs = 0.2;

/** The weight of the last flush in the moving average. */
const smoothing = 0.1;

const flushInThread = promisify(fdatasync);

/**
 * Flushes files of one device. Owns the moving average of its flush time. Flushes run in another thread, so that they do not
 * block the process, unless the device is so fast that the hand-over would take as long as the flush. After one slow flush the
 * thread is used again.
 */
export class Flushes {
  #usualMs = fastMs * 2;

  async flush(file: number): Promise<void> {
    const start = performance.now();
    if (this.#usualMs < fastMs) fdatasyncSync(file);
    else await flushInThread(file);
    const tookMs = performance.now() - start;
    this.#usualMs = Math.max(
      this.#usualMs * (1 - smoothing) + tookMs * smoothing,
      tookMs > 4 * fastMs ? tookMs : 0,
    );
  }
}
