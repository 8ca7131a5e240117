import { createHash } from 'node:crypto';

interface Note {
  /** The time of the world, in milliseconds since 1970 UTC. */
  readonly at: number;
  readonly subject: string;
  readonly event: string;
}

/** Waiting notes are hashed together once they have this number of characters. */
const hashedAtOnce = 65_536;

/** The log of a simulation. Owns its hash and its last notes: two runs of one seed must have the same hash. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #now: () => number;
  readonly #linesMax: number;
  readonly #notes: Note[] = [];
  /** Text that is not hashed yet. */
  #text = '';
  #count = 0;

  /** @param now the time of the world, in milliseconds since 1970 UTC */
  constructor(now: () => number, linesMax: number) {
    this.#now = now;
    this.#linesMax = linesMax;
  }

  get count(): number {
    return this.#count;
  }

  /** The last notes as lines, oldest first. */
  get lines(): readonly string[] {
    return this.#notes.slice(-this.#linesMax).map(lineOf);
  }

  note(subject: string, event: string): void {
    const at = this.#now();
    this.#text += `${at} ${subject} ${event}\n`;
    if (this.#text.length >= hashedAtOnce) this.#hashText();
    this.#count += 1;
    this.#notes.push({ at, subject, event });
    if (this.#notes.length > 2 * this.#linesMax) this.#notes.splice(0, this.#linesMax);
  }

  /** The hash of all notes so far. */
  hash(): string {
    this.#hashText();
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  #hashText(): void {
    this.#hash.update(this.#text);
    this.#text = '';
  }
}

function lineOf({ at, subject, event }: Note): string {
  return `${new Date(at).toISOString().slice(5)} ${subject.padEnd(8)} ${event}`;
}
