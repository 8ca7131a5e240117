import { fdatasync, fdatasyncSync } from 'node:fs';
import { promisify } from 'node:util';

/** Milliseconds. A flush that takes less is over sooner than another thread could say so. */
const short = 0.2;

/** How much of what a flush usually takes is what the last one took. */
const weight = 0.1;

const inAnotherThread = promisify(fdatasync);

/**
 * Flushes files of one device: in another thread, so that the process does something else meanwhile, unless the device
 * has been answering so fast that handing it over would take as long again. One that is slow once is believed to be slow.
 */
export class Flushes {
  #usual = short * 2;

  async flush(file: number): Promise<void> {
    const start = performance.now();
    if (this.#usual < short) fdatasyncSync(file);
    else await inAnotherThread(file);
    const took = performance.now() - start;
    this.#usual = Math.max(this.#usual * (1 - weight) + took * weight, took > 4 * short ? took : 0);
  }
}
