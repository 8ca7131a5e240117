export interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

interface Entry extends Timer {
  /** Timers that are due at the same time fire in the order in which they were added. */
  readonly order: number;
  index: number;
}

/** Timers ordered by when they are due. A binary heap, because a workflow can set a hundred thousand timers. */
export class Timers {
  readonly #heap: Entry[] = [];
  #set = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** @returns a function that removes the timer */
  add(timer: Timer): () => void {
    const entry: Entry = { ...timer, order: this.#set, index: this.#heap.length };
    this.#set += 1;
    this.#heap.push(entry);
    this.#rise(entry);
    return () => {
      if (this.#heap[entry.index] === entry) this.#remove(entry);
    };
  }

  /** The earliest timer. */
  get first(): Timer | undefined {
    return this.#heap[0];
  }

  /** Removes the earliest timer, and returns it. */
  takeFirst(): Timer | undefined {
    const first = this.#heap[0];
    if (first) this.#remove(first);
    return first;
  }

  #remove({ index }: Entry): void {
    const last = this.#heap.pop()!;
    if (index === this.#heap.length) return;
    this.#put(last, index);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(entry: Entry): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1]!;
      if (isBefore(parent, entry)) return;
      this.#swap(entry, parent);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#heap[entry.index * 2 + 1];
      const right = this.#heap[entry.index * 2 + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (!child || isBefore(entry, child)) return;
      this.#swap(entry, child);
    }
  }

  #swap(one: Entry, other: Entry): void {
    const { index } = one;
    this.#put(one, other.index);
    this.#put(other, index);
  }

  #put(entry: Entry, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
