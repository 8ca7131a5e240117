import { HostError } from '../errors.ts';
import type { OnError } from './error-reporter.ts';

/** A piece of work that blocks the event loop for longer than this is reported, in milliseconds. */
const slowMs = 50;

/** The clocks of the monitor, both in milliseconds. */
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
  /** The last sample before the work began. */
  readonly before: Sample;
  /** How many pieces of work began before this one. */
  readonly number: number;
  /** How long the part before the first wait blocked the event loop, in milliseconds. */
  firstMs?: number;
}

/** Milliseconds between two reads of the processor time, because a read can take longer than the work. */
const sampleMs = 5;

/** How long this process has used a processor, in milliseconds. In a browser, which does not have this, the time of day. */
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
 * Measures how long single pieces of work block the event loop, and reports slow ones as `host/slow-step`, because nothing else
 * of the process runs during that time. Time in which the system ran other processes does not count. Costs two or three reads of
 * the time for each piece. If other pieces begin during a piece, only its part before the first wait counts. With a virtual clock
 * nothing is reported, because its time does not change within a piece.
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

  /** Begins a piece of work. */
  begin(): WorkStart {
    const at = this.#clocks.now();
    const age = at - this.#sample.at;
    if (age >= sampleMs || age < 0) this.#sample = { at, cpuTime: this.#clocks.cpuTime() };
    this.#begun += 1;
    return { at, before: this.#sample, number: this.#begun };
  }

  /** Notes that the piece waits for promises from here on, while other pieces may run. */
  wait(start: WorkStart): void {
    start.firstMs = this.#heldSince(start);
  }

  /** @param describe describes the piece with an infinitive: `store a step` */
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
    // Between the sample and the beginning, the process used at most one processor.
    return Math.min(ms, this.#clocks.cpuTime() - before.cpuTime - (at - before.at));
  }

  #report(ms: number, { id, definition }: WorkOf, description: string): void {
    const which = `The instance ${JSON.stringify(id)} of the definition ${JSON.stringify(definition.name)}`;
    const message = `${which} held the event loop for ${Math.round(ms)} ms to ${description}. Everything else had to wait.`;
    this.#onError(new HostError('host/slow-step', message), 'keeping the event loop free');
  }
}
