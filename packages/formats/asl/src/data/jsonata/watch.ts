import { DramaturgError } from '@dramaturg/compiler';

/**
 * The work that an expression may do. A unit is about the evaluation of one part of it, some microseconds, so that an
 * expression ends within 50 ms. Work is counted and not timed: an expression that succeeds once succeeds on every
 * repetition.
 */
const mostWork = 6_000;
/** Nested evaluations. A recursive function takes several for each call. */
const deepest = 1_000;
/** The most values that an expression may build, and the longest text. */
export const mostBuilt = 300_000;
const longestText = 10_000_000;

/** Items of a list, and characters of a text, that cost a unit wherever a part of an expression results in them. */
const [itemsPerUnit, charactersPerUnit] = [64, 4_096];
/** Values that are copied for a unit. */
const copiesPerUnit = 1_024;
/** Values that are measured for a unit. */
const valuesPerUnit = 32;

/** Parts without parts of their own take less than others. */
const leafUnits: ReadonlyMap<string, number> = new Map([
  ['name', 0.4],
  ['variable', 0.4],
  ['string', 0.3],
  ['number', 0.2],
  ['value', 0.2],
]);
/** The library resumes all enclosing evaluations at each step: a deep one is slow. */
const depthPerUnit = 32;

/** The library's description of a part of an expression. */
interface Part {
  readonly type: string;
  readonly value?: unknown;
  readonly lhs?: unknown;
  readonly rhs?: unknown;
  /** Whether a list of one stays a list. */
  keepArray?: boolean;
  /** Pairs of a key and a value. */
  readonly group?: { readonly lhs: unknown };
}

/**
 * Enforces the limits of one evaluation: work, depth, size, and access to its own data only. The library calls the hooks
 * before and after every part of an expression.
 */
export class Watch {
  #workLeft = mostWork;
  #depth = 0;
  readonly #sizes = new WeakMap<object, number>();
  readonly #patterns = new WeakSet<object>();
  /** The ends of the ranges whose beginnings were evaluated. */
  readonly #rangeEnds = new Map<unknown, { readonly rhs: unknown; from?: unknown }>();
  /** How often the key of a group was evaluated. */
  readonly #groupKeys = new Map<unknown, number>();

  readonly hooks = {
    __evaluate_entry: (part: Part): void => {
      this.#depth += 1;
      if (this.#depth > deepest)
        throw stop('it goes too deep: does a function call itself endlessly?');
      this.spend((leafUnits.get(part.type) ?? 1) + Math.floor(this.#depth / depthPerUnit));
      if (part.value === '..') this.#watchRange(part);
      if (part.group) this.#watchGroup(part.group.lhs);
      // As in JSONata 2.0.6: `$list ~> $map($f)[]` is a list.
      if (part.type === 'apply' && hasBrackets(part.rhs)) part.keepArray = true;
      const count = this.#groupKeys.get(part);
      if (count !== undefined) this.#countKey(part, count);
    },
    __evaluate_exit: (part: Part, _input: unknown, _frame: unknown, result: unknown): void => {
      this.#depth -= 1;
      if (typeof result === 'string') {
        this.spend(result.length / charactersPerUnit);
        if (result.length > longestText) throw stop('it builds a text that is too long');
      } else if (typeof result === 'number') this.#checkRange(part, result);
      else if (typeof result === 'function') this.#requirePattern(part, result);
      else if (typeof result === 'object' && result !== null) this.#measure(part, result);
    },
  };

  /** Counts work. @throws LimitError when there is too much of it */
  spend(units: number): void {
    this.#workLeft -= units;
    if (this.#workLeft < 0) throw stop('it does too much work: process long lists in a Map state');
  }

  /** The number of values in a value, without measuring a part twice. */
  sizeOf(value: unknown, depth = 0): number {
    if (typeof value !== 'object' || value === null) return 1;
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    if (depth > deepest) return mostBuilt + 1;
    let size = 1;
    const parts = Object.values(value);
    this.spend(parts.length / valuesPerUnit);
    for (const part of parts) {
      size += this.sizeOf(part, depth + 1);
      if (size > mostBuilt) break;
    }
    this.#sizes.set(value, size);
    return size;
  }

  /** The library builds a range at once, so its length has to be known before. */
  #watchRange({ lhs, rhs }: Part): void {
    const range = { rhs };
    this.#rangeEnds.set(lhs, range);
    this.#rangeEnds.set(rhs, range);
  }

  #watchGroup(pairs: unknown): void {
    for (const [key] of pairs as readonly (readonly unknown[])[]) this.#groupKeys.set(key, 0);
  }

  /** The library copies the values of a key for each further one. */
  #countKey(key: Part, count: number): void {
    this.#groupKeys.set(key, count + 1);
    this.spend(count / copiesPerUnit);
  }

  #checkRange(part: Part, value: number): void {
    const range = this.#rangeEnds.get(part);
    if (!range) return;
    if (part !== range.rhs) range.from = value;
    else if (typeof range.from === 'number')
      this.spend(Math.max(value - range.from, 0) / itemsPerUnit);
  }

  /** Rejects JavaScript functions, except patterns and functions that the library has wrapped as arguments. */
  #requirePattern({ type }: Part, result: object): void {
    if (type === 'regex') this.#patterns.add(result);
    else if (!this.#patterns.has(result) && !Object.hasOwn(result, 'arity'))
      throw stop('it leads out of its data');
  }

  #measure({ type, value }: Part, result: object): void {
    if (type === 'name' && value === '__proto__') throw stop('it leads out of its data');
    if (Array.isArray(result)) {
      this.spend(result.length / itemsPerUnit);
      if (result.length > mostBuilt) throw stop('it builds too long a list');
    }
    // Only these parts grow: `{ "a": $x, "b": $x }` doubles the data without using memory.
    if (type === 'unary' || type === 'function') {
      if (this.sizeOf(result) > mostBuilt) throw stop('it builds too much');
    }
  }
}

function hasBrackets(part: unknown): boolean {
  return (part as Part | undefined)?.keepArray === true;
}

function stop(because: string): LimitError {
  return new LimitError(because);
}

/** An expression used too much work or memory. Thrown through the library, which keeps the message. */
export class LimitError extends DramaturgError<'asl/expression-limit'> {
  override readonly name = 'LimitError';

  constructor(message: string) {
    super('asl/expression-limit', message);
  }
}
