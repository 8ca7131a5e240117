/** Something that happens at a time. */
export interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

interface Entry extends Timer {
  /** Of two timers due at the same time, the one set first fires first. */
  readonly order: number;
  place: number;
}

/** Timers by when they are due: a binary heap, because a workflow may set a hundred thousand of them at once. */
export class Timers {
  readonly #heap: Entry[] = [];
  #set = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** @returns a function that takes the timer away again, if it is still there */
  add(timer: Timer): () => void {
    const entry: Entry = { ...timer, order: this.#set, place: this.#heap.length };
    this.#set += 1;
    this.#heap.push(entry);
    this.#rise(entry);
    return () => {
      if (this.#heap[entry.place] === entry) this.#remove(entry);
    };
  }

  /** The earliest. */
  get first(): Timer | undefined {
    return this.#heap[0];
  }

  /** Takes the earliest. */
  take(): Timer | undefined {
    const first = this.#heap[0];
    if (first) this.#remove(first);
    return first;
  }

  #remove({ place }: Entry): void {
    const last = this.#heap.pop()!;
    if (place === this.#heap.length) return;
    this.#put(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(entry: Entry): void {
    while (entry.place > 0) {
      const parent = this.#heap[(entry.place - 1) >> 1]!;
      if (isBefore(parent, entry)) return;
      this.#swap(entry, parent);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#heap[entry.place * 2 + 1];
      const right = this.#heap[entry.place * 2 + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (!child || isBefore(entry, child)) return;
      this.#swap(entry, child);
    }
  }

  #swap(one: Entry, other: Entry): void {
    const { place } = one;
    this.#put(one, other.place);
    this.#put(other, place);
  }

  #put(entry: Entry, place: number): void {
    this.#heap[place] = entry;
    entry.place = place;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
