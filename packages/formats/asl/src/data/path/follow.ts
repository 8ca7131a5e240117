import { isRecord, type Json } from '@dramaturg/compiler';
import { holds } from './filter.ts';
import type { Path, PathFunction, Step } from './path.ts';
import type { PathWork } from './work.ts';

export type Found = { readonly found: true; readonly value: Json } | { readonly found: false };

const nothing: Found = { found: false };

export type Plain = Step & { kind: 'name' | 'index' };

export function isPlain(step: Step): step is Plain {
  return step.kind === 'name' || step.kind === 'index';
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
  return Array.isArray(value) ? value[index < 0 ? value.length + index : index] : undefined;
}

/** Follows a path with any steps. A path that is not definite gives a list, which may be empty. */
export function follow(path: Path, start: Json | undefined, data: Json, work: PathWork): Found {
  if (start === undefined) return path.isDefinite ? nothing : { found: true, value: [] };
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
        if (holds(step.test, element, data, work, valueOf)) into.push(element);
      }
      return true;
  }
}

/** The value of a path in a filter; undefined when the path has none. */
function valueOf(path: Path, element: Json, data: Json, work: PathWork): Json | undefined {
  const { root, steps } = path;
  const start = root === '@' ? element : data;
  const indefinite = steps.findIndex((step) => !isPlain(step));
  const plain = (indefinite < 0 ? steps : steps.slice(0, indefinite)) as readonly Plain[];
  if (indefinite < 0 || followPlain(start, plain) === undefined) return followPlain(start, plain);
  const found = follow(path, start, data, work);
  return found.found ? found.value : undefined;
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
  const mean = sum / numbers.length;
  if (name === 'avg') return mean;
  if (name === 'stddev') {
    return Math.sqrt(numbers.reduce((all, one) => all + (one - mean) ** 2, 0) / numbers.length);
  }
  return numbers.reduce((best, one) =>
    name === 'min' ? Math.min(best, one) : Math.max(best, one),
  );
}
