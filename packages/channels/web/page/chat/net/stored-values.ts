import type { KeptName } from '../../../src/launcher-protocol.ts';

/** Values that are kept beyond the page. */
export interface KeptValues {
  readonly get: (name: KeptName) => string | undefined;
  readonly set: (name: KeptName, value: string | undefined) => void;
}

/** Keeps values in the storage of the browser. Where it is forbidden, they are kept in memory. */
export class StoredValues implements KeptValues {
  readonly #prefix: string;
  readonly #memory = new Map<KeptName, string>();

  /** @param chat what distinguishes this chat from others of the same origin */
  constructor(chat: string) {
    this.#prefix = `dramaturg:${chat}`;
  }

  get(name: KeptName): string | undefined {
    try {
      return storageOf(name).getItem(`${this.#prefix}:${name}`) ?? undefined;
    } catch {
      return this.#memory.get(name);
    }
  }

  set(name: KeptName, value: string | undefined): void {
    const key = `${this.#prefix}:${name}`;
    if (value === undefined) this.#memory.delete(name);
    else this.#memory.set(name, value);
    try {
      if (value === undefined) storageOf(name).removeItem(key);
      else storageOf(name).setItem(key, value);
    } catch {
      // The value stays in memory.
    }
  }
}

/** The session and `talking` are shared by all tabs. Other values belong to one tab. Reading the property can throw. */
function storageOf(name: KeptName): Storage {
  return name === 'session' || name === 'talking' ? localStorage : sessionStorage;
}
