import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { CountedWrite } from './counting-store.ts';

/** A file that is appended to: the lower bound for the cost of durable storage. */
export class PlainFile {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  /** Repeats the writes with the same flushes. It blocks: no other work and no change of thread. */
  write(writes: readonly CountedWrite[]): void {
    for (const { bytes, isFlushed } of writes) {
      writeSync(this.#file, Buffer.alloc(bytes, 'x'));
      if (isFlushed) fdatasyncSync(this.#file);
    }
  }

  /** Writes the same number of bytes with a single flush. */
  writeOnce(writes: readonly CountedWrite[]): void {
    writeSync(this.#file, Buffer.alloc(bytesOf(writes), 'x'));
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}

export function bytesOf(writes: readonly CountedWrite[]): number {
  return writes.reduce((sum, { bytes }) => sum + bytes, 0);
}
