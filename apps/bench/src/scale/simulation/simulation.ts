/** Continues a process of the simulation. */
type Resume = () => void;

/** Something that a process of the simulation waits for. */
export type Wait = (resume: Resume) => void;

/** A process of the simulation: it yields what it waits for. */
export type Process = Generator<Wait, void, void>;

interface Timed {
  readonly at: number;
  /** Events at the same time happen in the order in which they were scheduled. */
  readonly order: number;
  readonly run: Resume;
}

/** A discrete-event simulation. Its clock counts milliseconds, and jumps from event to event. */
export class Simulation {
  #now = 0;
  #scheduled = 0;
  /** A binary heap, the earliest event first. */
  readonly #events: Timed[] = [];

  get now(): number {
    return this.#now;
  }

  /** Waits for a time in milliseconds. */
  pause(ms: number): Wait {
    return (resume) => this.#schedule(this.#now + ms, resume);
  }

  /** Starts a process immediately. */
  start(process: Process): void {
    const proceed = () => {
      const { done, value } = process.next();
      if (!done) value(proceed);
    };
    proceed();
  }

  /** Runs until the time, or until no event is left. */
  run(untilMs: number): void {
    for (let next = this.#events[0]; next && next.at <= untilMs; next = this.#events[0]) {
      this.#removeFirst();
      this.#now = next.at;
      next.run();
    }
    this.#now = untilMs;
  }

  #schedule(at: number, run: Resume): void {
    const event: Timed = { at, order: (this.#scheduled += 1), run };
    const heap = this.#events;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = event;
  }

  #removeFirst(): void {
    const heap = this.#events;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(one: Timed, other: Timed): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
