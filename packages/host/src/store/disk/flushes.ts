import { fdatasync, fdatasyncSync } from 'node:fs';
import { promisify } from 'node:util';

/** Milliseconds. A flush that takes less is over sooner than another thread could say so. */
const fastMs = 0.2;

/** How much of what a flush usually takes is what the last one took. */
const smoothing = 0.1;

const flushInThread = promisify(fdatasync);

/**
 * Flushes files of one device: in another thread, so that the process does something else meanwhile, unless the device
 * has been answering so fast that handing it over would take as long again. One that is slow once is believed to be slow.
 */
export class Flushes {
  #usualMs = fastMs * 2;

  async flush(file: number): Promise<void> {
    const start = performance.now();
    if (this.#usualMs < fastMs) fdatasyncSync(file);
    else await flushInThread(file);
    const took = performance.now() - start;
    this.#usualMs = Math.max(
      this.#usualMs * (1 - smoothing) + took * smoothing,
      took > 4 * fastMs ? took : 0,
    );
  }
}
