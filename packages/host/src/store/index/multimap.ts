/**
 * A map from a text to one or more items. Most texts (a contact, a parent) have one item, which is stored without an
 * array.
 */
export class Multimap<Item> {
  readonly #items = new Map<string, Item | Item[]>();

  get(text: string): readonly Item[] {
    const found = this.#items.get(text);
    return found === undefined ? [] : Array.isArray(found) ? found : [found];
  }

  add(text: string | undefined, item: Item): void {
    if (text === undefined) return;
    const found = this.#items.get(text);
    if (found === undefined) this.#items.set(text, item);
    else if (Array.isArray(found)) found.push(item);
    else this.#items.set(text, [found, item]);
  }

  remove(text: string | undefined, item: Item): void {
    if (text === undefined) return;
    const remaining = this.get(text).filter((other) => other !== item);
    if (remaining.length === 0) this.#items.delete(text);
    else this.#items.set(text, remaining);
  }
}
