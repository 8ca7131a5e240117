import { HostError } from '../errors.ts';
import type { OnError } from './error-reporter.ts';

/** A piece of work that holds the event loop longer than this is reported, in milliseconds. */
const slowMs = 50;

/** Both in milliseconds. */
export interface Clocks {
  readonly now: () => number;
  /** How long the process has used a processor. */
  readonly cpuTime: () => number;
}

/** The time and the use of processors at a moment. */
interface Sample {
  readonly at: number;
  readonly cpuTime: number;
}

interface WorkStart {
  readonly at: number;
  /** The last sample before. */
  readonly before: Sample;
  /** How many pieces of work had begun. */
  readonly number: number;
  /** How long the part before the first wait has held the event loop, in milliseconds. */
  firstMs?: number;
}

/** The use of processors is read so often at most, in milliseconds: it can take longer than the work. */
const sampleMs = 5;

/** How long this process has used a processor, in milliseconds. In a browser, which does not tell, the time of day. */
export function cpuTimeOfProcess(): number {
  if (typeof process === 'undefined' || !('cpuUsage' in process)) return Date.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The instance for which the work is done, and its definition. */
export interface WorkOf {
  readonly id: string;
  readonly definition: { readonly name: string };
}

/**
 * Measures how long single pieces of work hold the event loop, and reports slow ones as `host/slow-step`: nothing else of
 * the process runs during that time. Time in which the system ran other processes does not count. Costs two or three
 * reads of the time for each piece. Of a piece during which others have begun, only the part before its first wait counts. The time of a virtual clock does not change within a piece, so nothing is reported there.
 */
export class LoopMonitor {
  readonly #clocks: Clocks;
  readonly #onError: OnError;
  #sample: Sample = { at: -Infinity, cpuTime: 0 };
  #begun = 0;

  constructor(clocks: Clocks, onError: OnError) {
    this.#clocks = clocks;
    this.#onError = onError;
  }

  /** The time at which a piece of work begins. */
  begin(): WorkStart {
    const at = this.#clocks.now();
    const age = at - this.#sample.at;
    if (age >= sampleMs || age < 0) this.#sample = { at, cpuTime: this.#clocks.cpuTime() };
    this.#begun += 1;
    return { at, before: this.#sample, number: this.#begun };
  }

  /** The piece waits for promises from here on. Meanwhile other pieces may run. */
  wait(start: WorkStart): void {
    start.firstMs = this.#heldSince(start);
  }

  /** @param describe what the piece did, as an infinitive: `store a step` */
  end(start: WorkStart, of: WorkOf, describe: () => string): void {
    const { number, firstMs } = start;
    const isAlone = number === this.#begun;
    const ms = isAlone || firstMs === undefined ? this.#heldSince(start) : firstMs;
    if (ms > slowMs) this.#report(ms, of, describe());
  }

  /** Runs a synchronous piece of work. */
  measure<Value>(of: WorkOf, description: string, work: () => Value): Value {
    const begunAt = this.begin();
    try {
      return work();
    } finally {
      this.end(begunAt, of, () => description);
    }
  }

  #heldSince({ at, before }: WorkStart): number {
    const ms = this.#clocks.now() - at;
    if (ms <= slowMs) return ms;
    // Between the sample and the beginning, the process has used one processor at most.
    return Math.min(ms, this.#clocks.cpuTime() - before.cpuTime - (at - before.at));
  }

  #report(ms: number, { id, definition }: WorkOf, description: string): void {
    const which = `The instance ${JSON.stringify(id)} of the definition ${JSON.stringify(definition.name)}`;
    const message = `${which} held the event loop for ${Math.round(ms)} ms to ${description}. Everything else had to wait.`;
    this.#onError(new HostError('host/slow-step', message), 'keeping the event loop free');
  }
}
