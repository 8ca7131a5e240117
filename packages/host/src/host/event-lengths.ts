/** Shorter values are counted each time: that is quicker than to remember them. */
const lengthMin = 512;

/**
 * Measures the unread events of a subscriber: about their characters as JSON. A workflow with much data emits the same
 * objects with each of its states. An object is in memory once, so it counts once, and is looked at once.
 */
export class EventLengths {
  readonly #counted = new WeakSet<object>();

  /** The characters that a value adds to those that were measured before. */
  add(value: unknown): number {
    if (typeof value === 'string') return value.length + 2;
    if (typeof value !== 'object' || value === null || this.#counted.has(value)) return 4;
    let length = 2;
    for (const [name, member] of Object.entries(value))
      length += (Array.isArray(value) ? 1 : name.length + 4) + this.add(member);
    if (length >= lengthMin) this.#counted.add(value);
    return length;
  }
}
