/** Storage of the browser. Where it is forbidden, nothing is kept beyond the page. */
export class Kept {
  readonly #storage: () => Storage;
  readonly #key: string;
  #value: string | undefined;

  /** @param storage `() => localStorage`: reading the property can throw */
  constructor(storage: () => Storage, key: string) {
    this.#storage = storage;
    this.#key = key;
  }

  get value(): string | undefined {
    try {
      return this.#storage().getItem(this.#key) ?? undefined;
    } catch {
      return this.#value;
    }
  }

  set value(value: string | undefined) {
    this.#value = value;
    try {
      if (value === undefined) this.#storage().removeItem(this.#key);
      else this.#storage().setItem(this.#key, value);
    } catch {
      // The value stays in memory.
    }
  }
}
