import type { Work } from '../work.ts';

/** How many enclosing frames cost a unit. */
const framesPerUnit = 16;

/** The variables of a block or a call. */
export class Frame {
  readonly #values = new Map<string, unknown>();
  readonly #outer: Frame | undefined;
  readonly #more: ((name: string) => unknown) | undefined;

  /** @param more the variables that no frame has bound */
  constructor(outer?: Frame, more?: (name: string) => unknown) {
    this.#outer = outer;
    this.#more = more;
  }

  bind(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  lookup(name: string, work: Work, frames = 1): unknown {
    const value = this.#values.get(name);
    const isBound = value !== undefined || this.#values.has(name);
    if (!isBound && this.#outer) return this.#outer.lookup(name, work, frames + 1);
    work.spend(frames / framesPerUnit);
    return isBound ? value : this.#more?.(name);
  }
}
