import { type Json } from '@dramaturg/compiler';
import { keyOf } from '../intrinsic/same.ts';
import type { Work } from '../work.ts';
import type { Evaluating, Frame, OwnFunction } from './evaluating.ts';
import type { SyntaxNode } from './syntax.ts';
import {
  asSequence,
  type Callable,
  CodedError,
  isCallable,
  isNumeric,
  isSequence,
  partsOf,
  sequence,
  setField,
} from './values.ts';

type Items = readonly unknown[] | undefined;

/** Passes a function as many arguments as it takes, and one at least. */
function callWith(evaluator: Evaluating, callee: Callable, ...args: unknown[]): unknown {
  return evaluator.apply(callee, args.slice(0, Math.max(callee.arity, 1)));
}

/** Functions of lists and objects: the library's own call functions one generator deeper each, or lose fields. */
export const listFunctions: Readonly<Record<string, OwnFunction>> = {
  max: (list?: number[]) =>
    list?.reduce<number | undefined>((most, each) => Math.max(most ?? each, each), undefined),
  min: (list?: number[]) =>
    list?.reduce<number | undefined>((least, each) => Math.min(least ?? each, each), undefined),
  string(value: unknown, isPretty = false) {
    return value === undefined ? undefined : jsonText(value, this.work, isPretty ? 2 : 0);
  },
  boolean(value: unknown) {
    return value === undefined ? undefined : isTrue(value, this.work);
  },
  not(value: unknown) {
    return value === undefined ? undefined : !isTrue(value, this.work);
  },
  map(list: Items, callee: Callable) {
    if (!list) return undefined;
    const results = sequence();
    for (const [at, item] of list.entries()) {
      const result = callWith(this, callee, item, at, list);
      if (result !== undefined) results.push(result);
    }
    return results;
  },
  filter(list: Items, callee: Callable) {
    const passes = (item: unknown, at: number) =>
      isTrue(callWith(this, callee, item, at, list), this.work);
    return list && asSequence(list.filter(passes));
  },
  single(list: Items, callee?: Callable) {
    if (!list) return undefined;
    const found: unknown[] = [];
    for (const [at, item] of list.entries()) {
      if (callee && !isTrue(callWith(this, callee, item, at, list), this.work)) continue;
      if (found.push(item) > 1) throw new CodedError('D3138');
    }
    if (found.length === 0) throw new CodedError('D3139');
    return found[0];
  },
  reduce(list: Items, callee: Callable, initial?: unknown) {
    if (!list) return undefined;
    if (callee.arity < 2) throw new CodedError('D3050');
    let [at, result] = initial === undefined && list.length > 0 ? [1, list[0]] : [0, initial];
    for (; at < list.length; at += 1) result = callWith(this, callee, result, list[at], at, list);
    return result;
  },
  each(object: object | undefined, callee: Callable) {
    const results = sequence();
    for (const [name, value] of Object.entries(object ?? {})) {
      this.work.spend(2);
      const result = callWith(this, callee, value, name, object);
      if (result !== undefined) results.push(result);
    }
    return results;
  },
  sift(object: object | undefined, callee: Callable) {
    const kept = Object.entries(object ?? {}).filter(([name, value]) => {
      this.work.spend(2);
      return isTrue(callWith(this, callee, value, name, object), this.work);
    });
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  },
  sort(list: Items, callee?: Callable) {
    if (!list || list.length <= 1) return list;
    if (callee) return sorted(list, (one, other) => this.apply(callee, [one, other]), this.work);
    const type = typeof list[0];
    if (!list.every((item) => typeof item === type && (isNumeric(item) || type === 'string')))
      throw new CodedError('D3070');
    const isAfter = (one: unknown, other: unknown) => {
      this.work.spend(1 / 2);
      if (type === 'string')
        this.work.characters(Math.min((one as string).length, (other as string).length));
      return (one as number) > (other as number);
    };
    return sorted(list, isAfter, this.work);
  },
  shuffle(list: Items) {
    if (!list || list.length <= 1) return list;
    const shuffled: unknown[] = [];
    for (const [at, item] of list.entries()) {
      const other = Math.floor(this.world.random() * (at + 1));
      this.work.spend(1);
      shuffled[at] = shuffled[other];
      shuffled[other] = item;
    }
    return shuffled;
  },
  distinct(given: unknown) {
    if (!Array.isArray(given) || given.length <= 1) return given;
    const seen = new Set<unknown>();
    const found = given.filter((one) => {
      this.work.deeply(one);
      this.work.spend(2);
      const key = isCallable(one) ? one : keyOf(one as Json);
      return !seen.has(key) && seen.add(key);
    });
    return isSequence(given) ? asSequence(found) : found;
  },
  append(one: unknown, other: unknown) {
    if (one === undefined) return other;
    if (other === undefined) return one;
    const [left, right] = [one, other].map((each) => (Array.isArray(each) ? each : [each]));
    this.work.items(left!.length + right!.length);
    return [...left!, ...right!];
  },
  lookup(given: unknown, name: string) {
    return this.lookup(given, name);
  },
  keys(given: unknown) {
    const names = new Set<string>();
    const collect = (value: unknown): void => {
      this.work.enter();
      if (Array.isArray(value)) for (const item of value) collect(item);
      else if (typeof value === 'object' && value !== null)
        for (const name of Object.keys(value)) {
          this.work.spend(2);
          names.add(name);
        }
      this.work.leave();
    };
    collect(given);
    return sequence(...names);
  },
  spread(given: unknown) {
    return spread(given, this);
  },
  merge(objects?: object[]) {
    if (!objects) return undefined;
    const merged = {};
    for (const object of objects)
      for (const [name, value] of Object.entries(object)) {
        this.work.spend(1);
        setField(merged, name, value);
      }
    return merged;
  },
  clone(value: unknown) {
    return copyOf(value, this);
  },
};

function spread(given: unknown, evaluator: Evaluating): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const parts = sequence();
  evaluator.work.enter();
  if (Array.isArray(given)) {
    for (const item of given) {
      const part = spread(item, evaluator);
      if (Array.isArray(part)) for (const each of part) parts.push(each);
      else if (part !== undefined) parts.push(part);
    }
    evaluator.work.items(parts.length);
  } else
    for (const [name, value] of Object.entries(given)) {
      evaluator.work.spend(5);
      const field = {};
      setField(field, name, value);
      parts.push(field);
    }
  evaluator.work.leave();
  return Array.isArray(given) && parts.length > 0 ? [...parts] : parts;
}

/** `|pattern|update, delete|`: a function that changes a copy. */
export function transform(
  evaluator: Evaluating,
  { pattern, update, delete: deletion }: SyntaxNode,
  frame: Frame,
): Callable {
  const call = ([given]: readonly unknown[]): unknown => {
    if (given === undefined) return undefined;
    if (typeof given !== 'object' || given === null)
      throw new CodedError('T0410', { value: given, index: 1, token: 'transform' });
    const parts = new Set<unknown>();
    const copy = copyOf(given, evaluator, parts);
    const found = evaluator.evaluate(pattern, copy, frame);
    for (const match of Array.isArray(found) ? (found as unknown[]) : [found]) {
      const changes = match === undefined ? undefined : evaluator.evaluate(update, match, frame);
      if (changes !== undefined) {
        if (typeof changes !== 'object' || changes === null || Array.isArray(changes))
          throw new CodedError('T2011', { value: changes });
      }
      // Data outside of the copy is not changed.
      if (!parts.has(match)) continue;
      for (const [name, value] of Object.entries(changes ?? {}))
        setField(match as object, name, value);
      if (!deletion) continue;
      const names = evaluator.evaluate(deletion, match, frame);
      for (const name of Array.isArray(names) ? (names as unknown[]) : [names]) {
        if (name === undefined) continue;
        if (typeof name !== 'string') throw new CodedError('T2012', { value: names });
        delete (match as Record<string, unknown>)[name];
      }
    }
    return copy;
  };
  return Object.assign(call, { arity: 1 });
}

/** A copy at all depths. @param parts receives its objects and lists */
function copyOf(value: unknown, evaluator: Evaluating, parts?: Set<unknown>): unknown {
  if (isCallable(value)) return '';
  if (typeof value !== 'object' || value === null) return value;
  evaluator.work.enter();
  const [isList, names] = [Array.isArray(value), Object.keys(value)];
  const copy: object = isList ? [] : {};
  for (const [at, part] of partsOf(value).entries()) {
    evaluator.work.spend(1);
    setField(copy, isList ? String(at) : names[at]!, copyOf(part, evaluator, parts));
  }
  evaluator.work.leave();
  parts?.add(copy);
  return copy;
}

/** The truth value that conditions and `$boolean` give a value. */
export function isTrue(value: unknown, work: Work): boolean {
  if (Array.isArray(value)) {
    work.enter();
    work.items(value.length);
    const holds = value.some((item) => isTrue(item, work));
    work.leave();
    return holds;
  }
  if (typeof value === 'object') return value !== null && Object.keys(value).length > 0;
  return typeof value === 'number'
    ? isNumeric(value) && value !== 0
    : value === true || isText(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** A value as a string: numbers with all their digits, from 1e21 with an exponent. @throws CodedError D3001 */
export function jsonText(value: unknown, work: Work, indent = 0): string {
  if (typeof value === 'string') return value;
  if (isCallable(value)) return '';
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new CodedError('D3001', { value: String(value) });
  work.deeply(value);
  const shown = (value as { outerWrapper?: boolean } | null)?.outerWrapper
    ? (value as unknown[])[0]
    : value;
  return JSON.stringify(
    shown,
    (_, part: unknown) => {
      if (isCallable(part)) return '';
      if (typeof part === 'number') isNumeric(part);
      return part;
    },
    indent,
  );
}

/** Whether two values are the same, whatever the order of their fields. */
export function sameValue(one: unknown, other: unknown, work: Work): boolean {
  if (typeof one === 'string' && typeof other === 'string' && one.length === other.length)
    work.characters(one.length);
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [partsOf(one), partsOf(other)];
  if (left.length !== right.length) return false;
  work.enter();
  const names = Array.isArray(one) ? [...left.keys()].map(String) : Object.keys(one);
  const isSame = names.every(
    (name) =>
      Object.hasOwn(other, name) &&
      sameValue(
        (one as Record<string, unknown>)[name],
        (other as Record<string, unknown>)[name],
        work,
      ),
  );
  work.leave();
  return isSame;
}

/**
 * Sorts by merging, with the comparisons of the library in its order.
 *
 * @param isAfter whether the first of two items comes after the second
 */
export function sorted<Item>(
  list: readonly Item[],
  isAfter: (one: Item, other: Item) => unknown,
  work: Work,
): Item[] {
  if (list.length <= 1) return [...list];
  const middle = Math.floor(list.length / 2);
  const left = sorted(list.slice(0, middle), isAfter, work);
  const right = sorted(list.slice(middle), isAfter, work);
  work.items(list.length);
  const merged: Item[] = [];
  let [at, next] = [0, 0];
  while (at < left.length && next < right.length)
    merged.push(isAfter(left[at]!, right[next]!) ? right[next++]! : left[at++]!);
  return merged.concat(left.slice(at), right.slice(next));
}
