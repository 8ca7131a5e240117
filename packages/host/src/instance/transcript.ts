import type { LineRange } from '../store/contract.ts';
import type { TranscriptLine } from './event.ts';

/** Reads lines by their index. A range beyond the end gives fewer lines, or none. */
export type ReadLines = (range: LineRange) => Promise<readonly TranscriptLine[]>;

/** Owns the transcript of an instance. Stored lines stay in the store; only the lines of steps that are not stored are in memory. */
export class Transcript {
  readonly #readStored: ReadLines;
  #storedLength: number;
  #unstored: TranscriptLine[] = [];
  #readCount = 0;

  constructor(storedLength: number, readStored: ReadLines) {
    this.#storedLength = storedLength;
    this.#readStored = readStored;
  }

  /** How many lines it has. */
  get length(): number {
    return this.#storedLength + this.#unstored.length;
  }

  /** How often stored lines were read. */
  get readCount(): number {
    return this.#readCount;
  }

  add(line: TranscriptLine): void {
    this.#unstored.push(line);
  }

  /** @param end the index after the last stored line; all lines are stored when left out */
  noteStored(end = this.length): void {
    if (end <= this.#storedLength) return;
    this.#unstored = this.#unstored.slice(end - this.#storedLength);
    this.#storedLength = end;
  }

  readonly read: ReadLines = async ({ from, limit }) => {
    const index = from - this.#storedLength;
    if (index >= 0) return this.#unstored.slice(index, index + limit);
    this.#readCount += 1;
    return this.#readStored({ from, limit: Math.min(limit, -index) });
  };
}
