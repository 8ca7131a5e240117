import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { CountedWrite } from './counting-store.ts';

/** A file that is appended to: the least that storing something durably can cost. */
export class PlainFile {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  /** The same writes, flushed where they were. Nothing is done meanwhile, and no thread is changed. */
  write(writes: readonly CountedWrite[]): void {
    for (const { bytes, isFlushed } of writes) {
      writeSync(this.#file, Buffer.alloc(bytes, 'x'));
      if (isFlushed) fdatasyncSync(this.#file);
    }
  }

  /** All of it at once, as if nothing had to be stored before something else is done. */
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
