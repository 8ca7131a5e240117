/**
 * A queue. Taking the first item takes constant time, unlike `Array.shift`. A queue of one item has no array, because a host
 * can have a hundred thousand of them.
 */
export class Fifo<Item> {
  #first: Item | undefined;
  #others: Item[] | undefined;
  /** How many of the others were taken. */
  #taken = 0;

  constructor(first?: Item) {
    this.#first = first;
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  add(item: Item): void {
    if (this.#first === undefined) this.#first = item;
    else (this.#others ??= []).push(item);
  }

  take(): Item | undefined {
    const item = this.#first;
    this.#first = this.#others?.[this.#taken];
    this.#taken += 1;
    if (this.#first === undefined) this.#others = undefined;
    // Half of the array was taken: each item is copied at most once on average.
    else if (this.#taken * 2 > this.#others!.length)
      this.#others = this.#others!.slice(this.#taken);
    else return item;
    this.#taken = 0;
    return item;
  }
}
