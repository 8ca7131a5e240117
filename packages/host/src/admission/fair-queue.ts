import { Fifo } from './fifo.ts';

/** The name of an item in a queue. */
export interface Entry {
  /** Unique in its group. */
  readonly key: string;
  readonly group: string;
}

/**
 * A queue in which groups take turns, one key a turn. Within a group, the first key comes first.
 *
 * Keeps nothing but the two names of an entry: a host can have a hundred thousand of them.
 */
export class FairQueue {
  /** The keys of each group. A group of one key has no set. */
  readonly #groups = new Map<string, string | Set<string>>();
  /** The names of the groups, each once, in the order of their turns. */
  readonly #turns = new Fifo<string>();

  has({ key, group }: Entry): boolean {
    const keys = this.#groups.get(group);
    return keys instanceof Set ? keys.has(key) : keys === key;
  }

  /** Adds an entry that it does not have. */
  add({ key, group }: Entry): void {
    const keys = this.#groups.get(group);
    if (keys instanceof Set) keys.add(key);
    else if (keys !== undefined) this.#groups.set(group, new Set([keys, key]));
    else {
      this.#groups.set(group, key);
      this.#turns.add(group);
    }
  }

  /** @returns whether it had the entry */
  delete({ key, group }: Entry): boolean {
    const keys = this.#groups.get(group);
    if (keys instanceof Set) return keys.delete(key);
    if (keys !== key) return false;
    // The group keeps its turn, which finds it empty. Otherwise, a group that comes back would have two turns.
    this.#groups.set(group, new Set());
    return true;
  }

  /** Removes the next entry, and returns it. */
  take(): Entry | undefined {
    for (let group = this.#turns.take(); group !== undefined; group = this.#turns.take()) {
      const key = this.#takeFrom(group);
      if (key !== undefined) return { key, group };
    }
    return undefined;
  }

  #takeFrom(group: string): string | undefined {
    const keys = this.#groups.get(group)!;
    if (typeof keys === 'string' || keys.size === 0) {
      this.#groups.delete(group);
      return typeof keys === 'string' ? keys : undefined;
    }
    const [key] = keys;
    keys.delete(key!);
    if (keys.size === 0) this.#groups.delete(group);
    else this.#turns.add(group);
    return key;
  }
}
