/**
 * A sorted array. Inserting moves the items behind, which takes a few microseconds for 100,000 of them. A tree would
 * need more memory than the items.
 *
 * @template Item no two items of a list compare as equal
 */
export class SortedList<Item> {
  readonly #compare: (one: Item, other: Item) => number;
  #items: Item[] = [];

  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#items.length;
  }

  at(index: number): Item | undefined {
    return this.#items[index];
  }

  add(item: Item): void {
    this.#items.splice(this.firstFrom(item), 0, item);
  }

  /** Adds many at once, in any order. */
  addAll(items: readonly Item[]): void {
    this.#items = [...this.#items, ...items].toSorted(this.#compare);
  }

  remove(item: Item): void {
    const index = this.firstFrom(item);
    const found = this.#items[index];
    if (found !== undefined && this.#compare(found, item) === 0) this.#items.splice(index, 1);
  }

  /** The index of the first item that does not sort before this one; the length if there is none. */
  firstFrom(item: Item): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.#items[middle]!, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
