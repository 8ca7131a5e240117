import type { Pattern } from '../format.ts';
import type { Path } from '../path.ts';
import type { UnfilledValue } from './fill.ts';

/** The unfilled values of a definition, found by path. */
export class UnfilledValues {
  readonly #byPath: ReadonlyMap<string, UnfilledValue>;
  readonly #byPattern = new Map<string, UnfilledValue | undefined>();

  constructor(values: readonly UnfilledValue[]) {
    this.#byPath = new Map(values.map((value) => [JSON.stringify(value.path), value]));
  }

  /** The unfilled value at a path, or that the path leads into. `*` stands for any step. */
  around(path: Pattern): UnfilledValue | undefined {
    if (this.#byPath.size === 0) return undefined;
    return path.includes('*') ? this.#matching(path) : this.#above(path);
  }

  #above(path: Path): UnfilledValue | undefined {
    for (let length = 1; length <= path.length; length += 1) {
      const found = this.#byPath.get(JSON.stringify(path.slice(0, length)));
      if (found) return found;
    }
    return undefined;
  }

  /** Rules have few patterns, so each is searched for once. */
  #matching(pattern: Pattern): UnfilledValue | undefined {
    const key = JSON.stringify(pattern);
    if (!this.#byPattern.has(key)) {
      const found = [...this.#byPath.values()].find(
        ({ path }) =>
          path.length <= pattern.length &&
          path.every((step, index) => pattern[index] === '*' || pattern[index] === step),
      );
      this.#byPattern.set(key, found);
    }
    return this.#byPattern.get(key);
  }
}
