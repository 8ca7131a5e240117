/** The timer functions of Node, before the simulation replaces the global ones. */
const realImmediate = globalThis.setImmediate;

interface Entry {
  readonly at: number;
  /** Entries for the same time run in the order in which they were added. */
  readonly order: number;
  /** Absent after the entry was cancelled. */
  run: (() => void) | undefined;
}

/**
 * The time of the simulated world, in milliseconds since 1970 UTC. It stops while code runs, and then jumps to the next entry.
 * Owns all future events: no other part of a simulation waits for real time.
 */
export class Scheduler {
  #now: number;
  #order = 0;
  readonly #heap: Entry[] = [];

  constructor(startAt: number) {
    this.#now = startAt;
  }

  get now(): number {
    return this.#now;
  }

  /** @returns a function that cancels the entry */
  after(delayMs: number, run: () => void): () => void {
    const entry: Entry = { at: this.#now + Math.max(0, delayMs), order: this.#order++, run };
    push(this.#heap, entry);
    return () => {
      entry.run = undefined;
    };
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.after(delayMs, resolve));
  }

  /** Runs one entry after another, each with all its effects, until a time or until the world is done. */
  async runUntil(at: number, isDone: () => boolean): Promise<void> {
    await stillness();
    while (!isDone()) {
      const next = this.#heap[0];
      if (!next || next.at > at) {
        this.#now = Math.max(this.#now, at);
        return;
      }
      pop(this.#heap);
      if (!next.run) continue;
      this.#now = next.at;
      next.run();
      await stillness();
    }
  }
}

/** Resolves when all promises are settled. Nothing in a simulation waits for a file, a thread or a real timer. */
function stillness(): Promise<void> {
  return new Promise((resolve) => void realImmediate(resolve));
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

function push(heap: Entry[], entry: Entry): void {
  let index = heap.length;
  for (heap.push(entry); index > 0;) {
    const above = (index - 1) >> 1;
    if (isBefore(heap[above]!, entry)) break;
    heap[index] = heap[above]!;
    index = above;
  }
  heap[index] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = index * 2 + 1;
    if (left >= heap.length) break;
    const right = left + 1;
    const child = right < heap.length && isBefore(heap[right]!, heap[left]!) ? right : left;
    if (isBefore(last, heap[child]!)) break;
    heap[index] = heap[child]!;
    index = child;
  }
  heap[index] = last;
}
