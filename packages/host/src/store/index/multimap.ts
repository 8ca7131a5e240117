import { SortedList } from './sorted-list.ts';

/**
 * A map from a text to one or more items, which are sorted. Most texts (a contact, a parent) have one item, which is
 * stored without a list.
 */
export class Multimap<Item extends object> {
  readonly #compare: (one: Item, other: Item) => number;
  readonly #items = new Map<string, Item | SortedList<Item>>();

  /** @param compare no two items of a text compare as equal */
  constructor(compare: (one: Item, other: Item) => number) {
    this.#compare = compare;
  }

  get(text: string): SortedList<Item> {
    const found = this.#items.get(text);
    return found instanceof SortedList ? found : this.#listOf(found);
  }

  add(text: string | undefined, item: Item): void {
    if (text === undefined) return;
    const found = this.#items.get(text);
    if (found === undefined) {
      this.#items.set(text, item);
      return;
    }
    const list = found instanceof SortedList ? found : this.#listOf(found);
    list.add(item);
    this.#items.set(text, list);
  }

  remove(text: string | undefined, item: Item): void {
    if (text === undefined) return;
    const found = this.#items.get(text);
    if (found instanceof SortedList) found.remove(item);
    if (found === item || (found instanceof SortedList && found.length === 0))
      this.#items.delete(text);
  }

  #listOf(item: Item | undefined): SortedList<Item> {
    const list = new SortedList<Item>(this.#compare);
    if (item !== undefined) list.add(item);
    return list;
  }
}
