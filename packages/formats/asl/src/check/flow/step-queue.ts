/** The steps that are still to take, as a binary heap: the first in order comes out first, and each is in it once. */
export class StepQueue {
  readonly #heap: number[] = [];
  readonly #waiting = new Set<number>();

  has(position: number): boolean {
    return this.#waiting.has(position);
  }

  add(position: number): void {
    if (this.#waiting.has(position)) return;
    this.#waiting.add(position);
    const heap = this.#heap;
    let at = heap.push(position) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]! <= position) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = position;
  }

  take(): number | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return undefined;
    this.#waiting.delete(first);
    if (heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(position: number): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child += 1;
      if (heap[child]! >= position) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = position;
  }
}
