import { isRecord, type Json } from '@dramaturg/compiler';
import { dialects } from '../../dialect.ts';
import type { Evaluate, Evaluation } from '../evaluation.ts';
import { isLarger, longestText } from '../size.ts';
import { StatesError } from '../states-error.ts';
import { parsePath } from './parse.ts';
import { holds } from './filter.ts';
import { isFault, type Path, type PathFunction, type Step } from './path.ts';
import { PathWork } from './work.ts';

export type Found = { readonly found: true; readonly value: Json } | { readonly found: false };

const nothing: Found = { found: false };

/** Follows a path. @throws StatesError States.Runtime when the text is not a path */
export function readPath(text: string, evaluation: Evaluation): Found {
  return compileRead(text)(evaluation);
}

/** Like `readPath`, for a path that is read many times. */
export function compileRead(text: string): (evaluation: Evaluation) => Found {
  const path = parsePath(text);
  if (isFault(path)) {
    return () => {
      throw new StatesError('States.Runtime', `Invalid path '${text}': ${path.fault}.`);
    };
  }
  const { root, steps } = path;
  const rootOf = rootReader(root);
  if (steps.length === 0) return (evaluation) => foundOf(rootOf(evaluation));
  if (root === '$' && steps.length === 1 && isApproval(steps[0]!)) {
    return ({ decision, data }) => foundOf(decision ?? fieldOf(data, 'approval'));
  }
  if (steps.every(isPlain)) {
    return (evaluation) => foundOf(followPlain(rootOf(evaluation), steps));
  }
  return (evaluation) => follow(path, rootOf(evaluation), evaluation.data);
}

/**
 * Compiles a path that must have a value.
 *
 * @param field the field with the path, for the message
 * @throws StatesError when the path has no value: `States.ParameterPathFailure`, or Amazon's `States.Runtime`
 */
export function compilePath(text: string, field?: string): Evaluate {
  const read = compileRead(text);
  return (evaluation) => {
    const found = read(evaluation);
    if (found.found) return found.value;
    const inField = field === undefined ? '' : ` specified for the field '${field}'`;
    throw new StatesError(
      dialects[evaluation.dialect].missingPath,
      `The JSONPath '${text}'${inField} could not be found in the input '${shown(evaluation.data)}'`,
    );
  };
}

/** Characters of the data in a message. */
const longestShown = 1_000;

function shown(data: Json): string {
  if (isLarger(data, longestText)) return '...';
  const text = JSON.stringify(data);
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}...`;
}

function rootReader(root: string): (evaluation: Evaluation) => Json | undefined {
  if (root === '$') return ({ data }) => data;
  if (root === '$$') return ({ context }) => context;
  const name = root.slice(1);
  return ({ variables }) => (Object.hasOwn(variables, name) ? variables[name] : undefined);
}

function foundOf(value: Json | undefined): Found {
  return value === undefined ? nothing : { found: true, value };
}

type Plain = Step & { kind: 'name' | 'index' };

function isPlain(step: Step): step is Plain {
  return step.kind === 'name' || step.kind === 'index';
}

function isApproval(step: Step): boolean {
  return step.kind === 'name' && step.name === 'approval';
}

function followPlain(start: Json | undefined, steps: readonly Plain[]): Json | undefined {
  let value = start;
  for (const step of steps) {
    value = step.kind === 'name' ? fieldOf(value, step.name) : itemOf(value, step.index);
    if (value === undefined) return undefined;
  }
  return value;
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function itemOf(value: Json | undefined, index: number): Json | undefined {
  return Array.isArray(value) ? value[index < 0 ? value.length + index : index] : undefined;
}

/** Follows a path with any steps. A path that is not definite gives a list, which may be empty. */
function follow(path: Path, start: Json | undefined, data: Json): Found {
  if (start === undefined) return path.isDefinite ? nothing : { found: true, value: [] };
  const work = new PathWork(path.text);
  let values: Json[] = [start];
  let isDefinite = true;
  for (const [at, step] of path.steps.entries()) {
    if (step.kind === 'function') {
      const value = apply(step.name, isDefinite ? values[0]! : values, work);
      return value === undefined || at < path.steps.length - 1 ? nothing : { found: true, value };
    }
    const next: Json[] = [];
    for (const value of values) {
      const isFine = take(step, value, data, next, path.steps[at - 1]?.kind === 'descent', work);
      if (!isFine && isDefinite && path.isDefinite) return nothing;
    }
    values = next;
    isDefinite &&= isPlain(step);
  }
  return { found: true, value: path.isDefinite ? values[0]! : values };
}

/**
 * Adds the values of a step; false when the step has no value here.
 *
 * @param isDescended the value comes from a descent, which visits its parts too
 */
function take(
  step: Exclude<Step, { kind: 'function' }>,
  value: Json,
  data: Json,
  into: Json[],
  isDescended: boolean,
  work: PathWork,
): boolean {
  work.compare();
  switch (step.kind) {
    case 'name':
      return add(fieldOf(value, step.name), into);
    case 'index':
      return add(itemOf(value, step.index), into);
    case 'several':
      work.visit(step.keys.length);
      for (const key of step.keys) {
        add(typeof key === 'string' ? fieldOf(value, key) : itemOf(value, key), into);
      }
      return isRecord(value) || Array.isArray(value);
    case 'slice': {
      if (!Array.isArray(value)) return false;
      const from = bound(step.from ?? 0, value.length);
      const to = bound(step.to ?? value.length, value.length);
      work.visit(Math.max(to - from, 0) / step.by);
      for (let index = from; index < to; index += step.by) into.push(value[index]);
      return true;
    }
    case 'wildcard':
      for (const child of childrenOf(value, work)) into.push(child);
      return true;
    case 'descent':
      descend(value, into, work);
      return true;
    case 'filter':
      // A filter tests an object itself, and a list element by element.
      for (const element of candidatesOf(value, isDescended)) {
        work.visit(1 / 2);
        if (holds(step.test, element, data, work)) into.push(element);
      }
      return true;
  }
}

function candidatesOf(value: Json, isDescended: boolean): readonly Json[] {
  if (isDescended) return isRecord(value) ? [value] : [];
  return Array.isArray(value) ? value : [value];
}

function add(value: Json | undefined, into: Json[]): boolean {
  if (value !== undefined) into.push(value);
  return value !== undefined;
}

function bound(index: number, length: number): number {
  return Math.min(Math.max(index < 0 ? length + index : index, 0), length);
}

function childrenOf(value: Json, work: PathWork): readonly Json[] {
  const children = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  work.visit(children.length);
  return children as readonly Json[];
}

/** Adds the value and everything below it, parents first. */
function descend(start: Json, into: Json[], work: PathWork): void {
  const first = into.length;
  into.push(start);
  for (let at = first; at < into.length; at += 1) {
    for (const child of childrenOf(into[at]!, work)) into.push(child);
  }
}

function apply(name: PathFunction, value: Json, work: PathWork): Json | undefined {
  if (name === 'length' || name === 'size') {
    if (Array.isArray(value) || typeof value === 'string') return value.length;
    return isRecord(value) ? Object.keys(value).length : undefined;
  }
  if (name === 'keys') return isRecord(value) ? Object.keys(value) : undefined;
  if (!Array.isArray(value)) return undefined;
  if (name === 'first') return value[0];
  if (name === 'last') return value.at(-1);
  work.visit(value.length);
  const numbers = value.filter((one) => typeof one === 'number');
  if (numbers.length === 0) return undefined;
  const sum = numbers.reduce((total, one) => total + one, 0);
  if (name === 'sum') return sum;
  if (name === 'avg') return sum / numbers.length;
  return numbers.reduce((best, one) =>
    name === 'min' ? Math.min(best, one) : Math.max(best, one),
  );
}
