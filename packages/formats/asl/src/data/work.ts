import { DramaturgError } from '@dramaturg/compiler';
import { isLong, takeWork, takeWorkOfThread } from '@dramaturg/compiler/format';

/**
 * The units that the expressions and paths of one state may take together. A unit is about the evaluation of one part of an
 * expression, and no unit takes longer than that. Work is counted and not timed: what succeeds once succeeds on every
 * repetition.
 */
export const unitsMax = 3_000_000;
/** Units for each item of a Map. */
const unitsOfItem = 1_000;
/** Nested evaluations, and levels of data. A recursive call takes several. AWS stops at about a hundred. */
const deepest = 1_000;
/** The longest string, as in AWS, and the longest list. AWS stops at 873,782 numbers. */
export const longestText = 4_194_304;
const longestList = 1_000_000;

/** Items of a list, characters of a string and values at any depth that a unit reads or copies. */
const [itemsPerUnit, charactersPerUnit, valuesPerUnit] = [4, 32, 1];

/** Counts the work of the expressions of one state, and limits it. */
export class Work {
  #unitsLeft: number;
  #depth = 0;

  /** Called when the step has taken so much that a thread should do the rest. */
  onLong: (() => void) | undefined;

  constructor(units = unitsMax) {
    this.#unitsLeft = units;
  }

  get unitsLeft(): number {
    return this.#unitsLeft;
  }

  /** Adds the share of one more item of a Map. */
  withItem(): this {
    this.#unitsLeft += unitsOfItem;
    return this;
  }

  /** Counts work. @returns whether it is within the limits */
  take(units: number): boolean {
    this.#unitsLeft -= units;
    if (this.onLong && isLong()) this.onLong();
    return takeWork(units) && this.#unitsLeft >= 0;
  }

  /** Counts the work of a thread. @throws LimitError when there is too much work */
  spendInThread(units: number): void {
    this.#unitsLeft -= units;
    if (!takeWorkOfThread(units)) throw tooMuch();
  }

  /** @throws LimitError when there is too much work */
  spend(units: number): void {
    if (!this.take(units)) throw tooMuch();
  }

  /** Counts the evaluation of a part of an expression. @throws LimitError */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > deepest) throw tooDeep();
    this.spend(1);
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Resets the depth after an evaluation has thrown. */
  surface(): void {
    this.#depth = 0;
  }

  /** Reads or copies items of a list. @throws LimitError when there are too many, or too many for one list */
  items(count: number, factor = 1): void {
    if (count > longestList) throw outOfMemory();
    this.spend((count / itemsPerUnit) * factor);
  }

  /** Reads or copies characters. @throws LimitError when there are too many, or too many for one string */
  characters(count: number, factor = 1): void {
    if (count > longestText) throw outOfMemory();
    this.spend((count / charactersPerUnit) * factor);
  }

  /** Reads a value at all depths: parts that the library shares count each time. @throws LimitError */
  deeply(value: unknown, depth = 0): void {
    if (depth > deepest) throw tooDeep();
    this.spend(1 / valuesPerUnit);
    if (typeof value === 'string') this.characters(value.length);
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) for (const item of value) this.deeply(item, depth + 1);
    else
      for (const name of Object.keys(value)) {
        this.characters(name.length);
        this.deeply((value as Record<string, unknown>)[name], depth + 1);
      }
  }
}

function tooMuch(): LimitError {
  return new LimitError('it does too much work: process long lists in a Map state');
}

/** As AWS says it. */
export function outOfMemory(): LimitError {
  return new LimitError(
    'Expression evaluation memory limit exceeded: Check for excessive memory usage',
  );
}

/** As AWS says it. */
function tooDeep(): LimitError {
  return new LimitError(
    'Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.',
  );
}

/** An expression used too much work or memory. */
export class LimitError extends DramaturgError<'asl/expression-limit'> {
  override readonly name = 'LimitError';

  constructor(message: string, options?: ErrorOptions) {
    super('asl/expression-limit', message, options);
  }
}
