import type { Simulation, Wait } from './simulation.ts';

/** A resource whose use is measured. */
export interface Station {
  readonly name: string;
  /** The share of the time for which it was busy, 0 to 1. */
  readonly utilisation: number;
}

/** Processors that take jobs in order of arrival. Each works on one job at a time. */
export class Cores implements Station {
  readonly name: string;
  readonly #simulation: Simulation;
  readonly #count: number;
  #busy = 0;
  #busyMs = 0;
  readonly #waiting: (() => void)[] = [];
  #served = 0;

  constructor(simulation: Simulation, name: string, count: number) {
    this.#simulation = simulation;
    this.name = name;
    this.#count = count;
  }

  get utilisation(): number {
    return this.#busyMs / (this.#count * this.#simulation.now);
  }

  /** Waits for a processor, and then for the end of the job. */
  work(ms: number): Wait {
    return (resume) => {
      const begin = () => {
        this.#busy += 1;
        this.#busyMs += ms;
        this.#simulation.pause(ms)(() => {
          this.#busy -= 1;
          this.#beginNext();
          resume();
        });
      };
      if (this.#busy < this.#count) begin();
      else this.#waiting.push(begin);
    };
  }

  #beginNext(): void {
    const next = this.#waiting[this.#served];
    if (next === undefined) return;
    this.#served += 1;
    // Removes served entries in batches, because removing each one from the front is slow.
    if (this.#served > 1_000 && 2 * this.#served > this.#waiting.length) {
      this.#waiting.splice(0, this.#served);
      this.#served = 0;
    }
    next();
  }
}

/**
 * Processes all waiting items as one batch, one batch at a time, like the group commit of a store or the flush of a device. Items
 * that arrive during a batch belong to the next one.
 */
export class Batches {
  readonly #simulation: Simulation;
  readonly #sizeMax: number;
  readonly #work: (size: number) => Wait;
  #isBusy = false;
  #waiting: (() => void)[] = [];
  #batches = 0;
  #items = 0;

  /** @param work the wait of a batch of this size */
  constructor(
    simulation: Simulation,
    {
      sizeMax = Infinity,
      work,
    }: { readonly sizeMax?: number; readonly work: (size: number) => Wait },
  ) {
    this.#simulation = simulation;
    this.#sizeMax = sizeMax;
    this.#work = work;
  }

  /** Batches per second. */
  get rate(): number {
    return this.#batches / (this.#simulation.now / 1000);
  }

  /** Items in batches, per second. */
  get itemRate(): number {
    return this.#items / (this.#simulation.now / 1000);
  }

  /** Waits until the batch with this item has ended. */
  join(): Wait {
    return (resume) => {
      this.#waiting.push(resume);
      if (this.#isBusy) return;
      this.#isBusy = true;
      // Items of the same instant belong to one batch.
      this.#simulation.pause(0)(() => this.#next());
    };
  }

  #next(): void {
    const batch = this.#waiting.slice(0, this.#sizeMax);
    this.#waiting = this.#waiting.slice(this.#sizeMax);
    if (batch.length === 0) {
      this.#isBusy = false;
      return;
    }
    this.#batches += 1;
    this.#items += batch.length;
    this.#work(batch.length)(() => {
      for (const resume of batch) resume();
      // Processes that the batch has resumed may join the next one.
      this.#simulation.pause(0)(() => this.#next());
    });
  }
}
