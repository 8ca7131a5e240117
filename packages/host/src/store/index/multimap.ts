/**
 * Items that have a text in common, by that text. Most texts here are a person's, or a record's above it, and have one
 * item or a few, so that one stands by itself.
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
    const left = this.get(text).filter((other) => other !== item);
    if (left.length === 0) this.#items.delete(text);
    else this.#items.set(text, left);
  }
}
