/**
 * A sorted array. Inserting moves the items behind, which takes a few microseconds for 100,000 of them. A tree would
 * need more memory than the items.
 *
 * @template Item no two items of a list compare as equal
 */
export class SortedList<Item> {
  readonly #compare: (one: Item, other: Item) => number;
  readonly #items: Item[] = [];

  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#items.length;
  }

  at(index: number): Item | undefined {
    return this.#items[index];
  }

  /** Adding at the end, as when sorted items are added one after another, moves nothing. */
  add(item: Item): void {
    const last = this.#items.at(-1);
    if (last === undefined || this.#compare(last, item) < 0) this.#items.push(item);
    else this.#items.splice(this.firstFrom(item), 0, item);
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
