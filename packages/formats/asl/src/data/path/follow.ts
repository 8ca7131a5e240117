import { isRecord, type Json } from '@dramaturg/compiler';
import { StatesError } from '../states-error.ts';
import { unitsMax, type Work } from '../work.ts';
import {
  type Comparison,
  type DataPath,
  isDefiniteStep,
  type Operand,
  type Step,
  type Test,
} from './parse.ts';

/** The places that the paths of a state may lead to together. */
const placesMax = 200_000;
const unitsPerPlace = unitsMax / placesMax;
/** Comparisons, and compared characters of strings, that cost as much as a place. */
const [comparisonsPerPlace, charactersPerPlace] = [3, 256];

/** The work of following one path, which is a part of the work of its state. */
export class PathWork {
  readonly #work: Work;
  readonly #path: string;

  /** @param path for the message */
  constructor(path: string, work: Work) {
    this.#path = path;
    this.#work = work;
  }

  /** Counts places. @throws StatesError States.Runtime when there are too many */
  visit(places: number): void {
    if (this.#work.take(places * unitsPerPlace)) return;
    throw new StatesError(
      'States.Runtime',
      `The paths of the state lead to more than ${placesMax.toLocaleString('en')} places, at '${this.#path}': ` +
        'process long lists in a Map state.',
    );
  }

  /** Counts a comparison. @throws StatesError States.Runtime */
  compare(characters = 0): void {
    this.visit(1 / comparisonsPerPlace + characters / charactersPerPlace);
  }
}

/**
 * How a step ended. `missing`: it leads nowhere, which a `[*]` around it skips. `unfit`: the value cannot have such a step,
 * such as a slice of a string. Both end the search.
 */
type Ended = 'done' | 'missing' | 'unfit';

type StepOf<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>;

/** One search along a path, in the order of version 2.0 of the library by Jayway. */
class Walk {
  readonly values: Json[] = [];
  readonly #steps: readonly Step[];
  readonly #root: Json;
  readonly #work: PathWork;
  readonly #countsFromEnd: boolean;
  /** The index from which on all steps are definite. */
  readonly #definiteFrom: number;

  constructor(steps: readonly Step[], root: Json, work: PathWork, countsFromEnd: boolean) {
    this.#steps = steps;
    this.#root = root;
    this.#work = work;
    this.#countsFromEnd = countsFromEnd;
    this.#definiteFrom = steps.findLastIndex((step) => !isDefiniteStep(step)) + 1;
  }

  /** Follows the steps from index `at` on, and adds the values that they lead to. */
  take(at: number, value: Json): Ended {
    const step = this.#steps[at];
    if (step === undefined) {
      this.values.push(value);
      return 'done';
    }
    this.#work.compare();
    switch (step.kind) {
      case 'name':
        return this.#takeName(at, step.name, value);
      case 'names':
        return this.#takeNames(at, step, value);
      case 'wildcard':
        return this.#takeAll(at, value);
      case 'descent':
        return this.#descend(at + 1, value);
      case 'filter':
        return this.#takeMatching(at, step, value);
      default:
        if (value === null) return 'missing';
        return Array.isArray(value) ? this.#takeItems(at, step, value) : 'unfit';
    }
  }

  #takeName(at: number, name: string, value: Json): Ended {
    if (!isRecord(value)) return 'missing';
    if (Object.hasOwn(value, name)) return this.take(at + 1, value[name] as Json);
    // A field may be absent up to the step after the last indefinite one, but never at the end of the path.
    const isLast = at === this.#steps.length - 1;
    return isLast || at - 1 >= this.#definiteFrom || this.#definiteFrom === 0 ? 'missing' : 'done';
  }

  #takeNames(at: number, { names }: StepOf<'names'>, value: Json): Ended {
    if (!isRecord(value)) return 'missing';
    if (at < this.#steps.length - 1) return 'unfit';
    const known = names.filter((name) => Object.hasOwn(value, name));
    this.#work.visit(names.length);
    return this.take(at + 1, Object.fromEntries(known.map((name) => [name, value[name] as Json])));
  }

  #takeAll(at: number, value: Json): Ended {
    const isList = Array.isArray(value);
    for (const child of this.#childrenOf(value)) {
      const ended = this.take(at + 1, child);
      if (ended !== 'done' && !(isList && ended === 'missing')) return ended;
    }
    return 'done';
  }

  #takeItems(
    at: number,
    step: StepOf<'index' | 'fromEnd' | 'indexes' | 'slice'>,
    list: readonly Json[],
  ): Ended {
    for (const index of this.#indexesOf(step, list.length)) {
      const item = list[index < 0 && this.#countsFromEnd ? list.length + index : index];
      const ended = item === undefined ? 'missing' : this.take(at + 1, item);
      if (ended !== 'done') return ended;
    }
    return 'done';
  }

  #indexesOf(
    step: StepOf<'index' | 'fromEnd' | 'indexes' | 'slice'>,
    length: number,
  ): readonly number[] {
    switch (step.kind) {
      case 'index':
        return [step.index];
      case 'fromEnd':
        return [length - step.back];
      case 'indexes':
        this.#work.visit(step.indexes.length);
        return step.indexes;
      case 'slice': {
        const [from, to] = this.#boundsOf(step, length);
        this.#work.visit(Math.max(to - from, 0));
        return Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index);
      }
    }
  }

  /** AWS counts the bounds of a slice from the end only where the other bound is left out. */
  #boundsOf({ from, to }: StepOf<'slice'>, length: number): readonly [number, number] {
    const isOpen = from === undefined || to === undefined || this.#countsFromEnd;
    const bound = (index: number) => (index < 0 && isOpen ? Math.max(length + index, 0) : index);
    return [bound(from ?? 0), Math.min(bound(to ?? length), length)];
  }

  /** A filter tests an object itself, and a list item by item. */
  #takeMatching(at: number, step: StepOf<'filter'>, value: Json): Ended {
    if (typeof value !== 'object' || value === null) return 'unfit';
    for (const one of Array.isArray(value) ? (value as Json[]) : [value]) {
      this.#work.visit(1 / 2);
      if (!this.#passes(step, one)) continue;
      const ended = this.take(at + 1, one);
      if (ended !== 'done') return ended;
    }
    return 'done';
  }

  #passes({ test }: StepOf<'filter'>, element: Json): boolean {
    return holds(test, this.#work, (path) => this.#valueAt(path, element));
  }

  #valueAt({ root, steps }: DataPath, element: Json): Json | undefined {
    const walk = new Walk(
      steps,
      root === '@' ? element : this.#root,
      this.#work,
      this.#countsFromEnd,
    );
    return walk.take(0, walk.#root) === 'done' ? walk.values[0] : undefined;
  }

  /** Takes the step at every place below a value that can have it, parents first. */
  #descend(at: number, start: Json): Ended {
    const step = this.#steps[at]!;
    const open = [start];
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      const children = this.#childrenOf(value);
      if (this.#fits(step, value)) {
        const ended = this.#takeBelow(at, value, children);
        if (ended !== 'done') return ended;
      }
      for (let index = children.length - 1; index >= 0; index -= 1) open.push(children[index]!);
    }
    return 'done';
  }

  /** The library takes every item of a list, whatever the step, unless the path ends there. */
  #takeBelow(at: number, value: Json, children: readonly Json[]): Ended {
    if (!Array.isArray(value) || at === this.#steps.length - 1) return this.take(at, value);
    for (const child of children) {
      const ended = this.take(at + 1, child);
      if (ended !== 'done') return ended;
    }
    return 'done';
  }

  #fits(step: Step, value: Json): boolean {
    switch (step.kind) {
      case 'name':
        return isRecord(value) && Object.hasOwn(value, step.name);
      case 'names':
        return isRecord(value) && step.names.every((name) => Object.hasOwn(value, name));
      case 'wildcard':
        return typeof value === 'object' && value !== null;
      case 'filter':
        return typeof value === 'object' && value !== null && this.#passes(step, value);
      case 'descent':
        return false;
      default:
        return Array.isArray(value);
    }
  }

  #childrenOf(value: Json): readonly Json[] {
    const children = Array.isArray(value)
      ? (value as Json[])
      : isRecord(value)
        ? Object.values(value)
        : [];
    this.#work.visit(children.length);
    return children;
  }
}

/** Reads a path of a filter. Undefined when the path has no value. */
type ValueAt = (path: DataPath) => Json | undefined;

/** Steps of a pattern (instructions times characters read) that cost as much as a place. */
const stepsPerPlace = 4;

/** Whether an element passes a filter. @throws StatesError States.Runtime when that takes too much work */
function holds(test: Test, work: PathWork, valueAt: ValueAt): boolean {
  work.compare();
  const valueOf = (operand: Operand) =>
    'path' in operand ? valueAt(operand.path) : operand.literal;
  switch (test.operator) {
    case 'and':
      return test.tests.every((one) => holds(one, work, valueAt));
    case 'or':
      return test.tests.some((one) => holds(one, work, valueAt));
    case 'exists':
      return ((valueAt(test.path) ?? null) !== null) === test.isWanted;
    case '=~': {
      const value = valueOf(test.value);
      if (typeof value === 'object' || value === undefined) return false;
      const { pattern } = test;
      const reads = pattern.reads;
      pattern.lastIndex = 0;
      const isMatch = pattern.exec(String(value)) !== null;
      work.visit(((pattern.reads - reads) * Math.max(pattern.size, 8)) / stepsPerPlace);
      return isMatch;
    }
    default: {
      const [left, right] = [valueOf(test.left), valueOf(test.right)];
      return left !== undefined && right !== undefined && compare(test.operator, left, right, work);
    }
  }
}

const relations: Readonly<Record<Comparison, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/**
 * Compares two values of a filter, as version 2.0 of the library by Jayway does: no operator holds for values that have no
 * order, `!=` included.
 */
function compare(operator: Comparison, left: Json, right: Json, work: PathWork): boolean {
  const isEquality = operator === '==' || operator === '!=';
  if (!isEquality && (left === null) !== (right === null)) return false;
  const order = orderOf(left, right, work);
  return order !== undefined && relations[operator](order);
}

/** The order of the left value to the right value. A string on the right is compared as the type of the left value. */
function orderOf(left: Json, right: Json, work: PathWork): number | undefined {
  // The engine compares long strings character by character.
  if (typeof left === 'string' && typeof right === 'string')
    work.compare(Math.min(left.length, right.length));
  if (left === right) return 0;
  if (isNothing(left) || isNothing(right))
    return Number(isNothing(right)) - Number(isNothing(left));
  if (typeof right === 'string') {
    if (typeof left === 'string') return textOrder(left, right.replaceAll(String.raw`\'`, "'"));
    if (typeof left === 'number') return numeral.test(right) ? left - Number(right) : undefined;
    if (typeof left === 'boolean') return Number(left) - Number(right.toLowerCase() === 'true');
  }
  const isSimple = typeof left === 'number' || typeof left === 'boolean';
  return isSimple && typeof left === typeof right ? Number(left) - Number(right) : undefined;
}

const numeral = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `null` in a filter is a string, like all literals. */
function isNothing(value: Json): boolean {
  return value === null || value === 'null';
}

function textOrder(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

export type Found = { readonly found: true; readonly value: Json } | { readonly found: false };

const nothing: Found = { found: false };

/** A step that leads to one place, in all dialects the same. */
type Plain = Step & { kind: 'name' | 'index' };

export function isPlain(step: Step): step is Plain {
  return step.kind === 'name' || (step.kind === 'index' && step.index >= 0);
}

/** Follows names and indexes. Undefined where they lead nowhere. */
export function followPlain(start: Json | undefined, steps: readonly Plain[]): Json | undefined {
  let value = start;
  for (const step of steps) {
    value = step.kind === 'name' ? fieldOf(value, step.name) : itemOf(value, step.index);
    if (value === undefined) return undefined;
  }
  return value;
}

export function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function itemOf(value: Json | undefined, index: number): Json | undefined {
  return Array.isArray(value) ? value[index] : undefined;
}

/**
 * Follows a path with any steps. A path that is not definite gives a list, which may be empty.
 *
 * @param countsFromEnd whether negative indexes count from the end
 */
export function follow(
  { steps, isDefinite }: DataPath,
  start: Json | undefined,
  work: PathWork,
  countsFromEnd: boolean,
): Found {
  if (start === undefined) return nothing;
  const walk = new Walk(steps, start, work, countsFromEnd);
  if (walk.take(0, start) !== 'done') return nothing;
  if (!isDefinite) return { found: true, value: walk.values };
  return walk.values.length === 0 ? nothing : { found: true, value: walk.values[0]! };
}
