import { createHash } from 'node:crypto';

/** The log of a simulation. Owns its hash and its last lines: two runs of one seed must have the same hash. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #now: () => number;
  readonly #linesMax: number;
  readonly #lines: string[] = [];
  #count = 0;

  /** @param now the time of the world, in milliseconds since 1970 UTC */
  constructor(now: () => number, linesMax: number) {
    this.#now = now;
    this.#linesMax = linesMax;
  }

  get count(): number {
    return this.#count;
  }

  /** The last lines, oldest first. */
  get lines(): readonly string[] {
    return this.#lines.slice(-this.#linesMax);
  }

  note(subject: string, event: string): void {
    const line = `${new Date(this.#now()).toISOString().slice(5)} ${subject.padEnd(8)} ${event}`;
    this.#hash.update(`${this.#now()} ${line}\n`);
    this.#count += 1;
    this.#lines.push(line);
    if (this.#lines.length > 2 * this.#linesMax) this.#lines.splice(0, this.#linesMax);
  }

  /** The hash of all lines so far. */
  hash(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}
