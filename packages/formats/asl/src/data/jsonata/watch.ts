import { DramaturgError } from '@dramaturg/compiler';

/** Milliseconds that an expression may take. */
const mostTime = 500;
/** Nested evaluations. A recursive function takes several for each call. */
const deepest = 1_000;
/** The most values that an expression may build, and the longest text. */
export const mostBuilt = 1_000_000;
const longestText = 10_000_000;

/** The clock is read only every so many steps: there may be millions. */
const stepsBetweenLooks = 256;

/** The library's description of a part of an expression. */
interface Part {
  readonly type: string;
  readonly value?: unknown;
}

/**
 * Enforces the limits of one evaluation: time, depth, size, and access to its own data only. The library calls the
 * hooks before and after every part of an expression.
 */
export class Watch {
  readonly #look = timeLimit();
  #steps = 0;
  #depth = 0;
  readonly #sizes = new WeakMap<object, number>();
  readonly #patterns = new WeakSet<object>();

  readonly hooks = {
    __evaluate_entry: (): void => {
      this.#depth += 1;
      if (this.#depth > deepest)
        throw stop('it goes too deep: does a function call itself endlessly?');
      this.#steps += 1;
      if (this.#steps % stepsBetweenLooks === 0) this.#look();
    },
    __evaluate_exit: (part: Part, _input: unknown, _frame: unknown, result: unknown): void => {
      this.#depth -= 1;
      if (typeof result === 'string') {
        if (result.length > longestText) throw stop('it builds a text that is too long');
      } else if (typeof result === 'function') this.#requirePattern(part, result);
      else if (typeof result === 'object' && result !== null) this.#measure(part, result);
    },
  };

  /** Rejects JavaScript functions, except those that represent patterns in the library. */
  #requirePattern({ type }: Part, result: object): void {
    if (type === 'regex') this.#patterns.add(result);
    else if (!this.#patterns.has(result)) throw stop('it leads out of its data');
  }

  #measure({ type, value }: Part, result: object): void {
    if (type === 'name' && value === '__proto__') throw stop('it leads out of its data');
    if (Array.isArray(result) && result.length > mostBuilt) throw stop('it builds too long a list');
    // Only these parts grow: `{ "a": $x, "b": $x }` doubles the data without using memory.
    if (type === 'unary' || type === 'function') {
      if (this.#sizeOf(result, 0) > mostBuilt) throw stop('it builds too much');
    }
  }

  #sizeOf(value: unknown, depth: number): number {
    if (typeof value !== 'object' || value === null) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    if (depth > deepest) return mostBuilt + 1;
    let size = 1;
    for (const part of Object.values(value)) {
      size += this.#sizeOf(part, depth + 1);
      if (size > mostBuilt) break;
    }
    this.#sizes.set(value, size);
    return size;
  }
}

/** Returns a function that throws once the time limit has passed, counted from now. */
export function timeLimit(): () => void {
  const end = Date.now() + mostTime;
  return () => {
    if (Date.now() > end) throw stop(`it takes longer than ${mostTime} milliseconds`);
  };
}

function stop(because: string): LimitError {
  return new LimitError(because);
}

/** An expression used too much time or memory. Thrown through the library, which keeps the message. */
export class LimitError extends DramaturgError<'asl/expression-limit'> {
  override readonly name = 'LimitError';

  constructor(message: string) {
    super('asl/expression-limit', message);
  }
}
