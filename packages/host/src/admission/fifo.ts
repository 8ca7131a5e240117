/** A queue. Taking the first item takes constant time, unlike `Array.shift`. */
export class Fifo<Item> {
  #items: Item[] = [];
  /** How many of the items were taken. */
  #taken = 0;

  add(item: Item): void {
    this.#items.push(item);
  }

  take(): Item | undefined {
    if (this.#taken === this.#items.length) return undefined;
    const item = this.#items[this.#taken];
    this.#taken += 1;
    // Half of the array was taken: each item is copied at most once on average.
    if (this.#taken * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }
}
