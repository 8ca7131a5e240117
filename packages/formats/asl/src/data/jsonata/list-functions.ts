import { type Json } from '@dramaturg/compiler';
import { keyOf } from '../intrinsic/same.ts';
import type { Evaluating, OwnFunction } from './evaluating.ts';
import { isTrue, jsonText, sorted } from './operations.ts';
import { copyOf } from './transform.ts';
import {
  asSequence,
  type Callable,
  CodedError,
  isCallable,
  isNumeric,
  isSequence,
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
  max: {
    call: (list?: number[]) =>
      list?.reduce<number | undefined>((most, each) => Math.max(most ?? each, each), undefined),
  },
  min: {
    call: (list?: number[]) =>
      list?.reduce<number | undefined>((least, each) => Math.min(least ?? each, each), undefined),
  },
  string: {
    call(value: unknown, isPretty = false) {
      return value === undefined ? undefined : jsonText(value, this.work, isPretty ? 2 : 0);
    },
  },
  boolean: {
    call(value: unknown) {
      return value === undefined ? undefined : isTrue(value, this.work);
    },
  },
  not: {
    call(value: unknown) {
      return value === undefined ? undefined : !isTrue(value, this.work);
    },
  },
  map: {
    call(list: Items, callee: Callable) {
      if (!list) return undefined;
      const results = sequence();
      for (const [at, item] of list.entries()) {
        const result = callWith(this, callee, item, at, list);
        if (result !== undefined) results.push(result);
      }
      return results;
    },
  },
  filter: {
    call(list: Items, callee: Callable) {
      const passes = (item: unknown, at: number) =>
        isTrue(callWith(this, callee, item, at, list), this.work);
      return list && asSequence(list.filter(passes));
    },
  },
  single: {
    call(list: Items, callee?: Callable) {
      if (!list) return undefined;
      const found: unknown[] = [];
      for (const [at, item] of list.entries()) {
        if (callee && !isTrue(callWith(this, callee, item, at, list), this.work)) continue;
        if (found.push(item) > 1) throw new CodedError('D3138');
      }
      if (found.length === 0) throw new CodedError('D3139');
      return found[0];
    },
  },
  reduce: {
    call(list: Items, callee: Callable, initial?: unknown) {
      if (!list) return undefined;
      if (callee.arity < 2) throw new CodedError('D3050');
      let [at, result] = initial === undefined && list.length > 0 ? [1, list[0]] : [0, initial];
      for (; at < list.length; at += 1) result = callWith(this, callee, result, list[at], at, list);
      return result;
    },
  },
  each: {
    call(object: object | undefined, callee: Callable) {
      const results = sequence();
      for (const [name, value] of Object.entries(object ?? {})) {
        this.work.spend(2);
        const result = callWith(this, callee, value, name, object);
        if (result !== undefined) results.push(result);
      }
      return results;
    },
  },
  sift: {
    call(object: object | undefined, callee: Callable) {
      const kept = Object.entries(object ?? {}).filter(([name, value]) => {
        this.work.spend(2);
        return isTrue(callWith(this, callee, value, name, object), this.work);
      });
      return kept.length > 0 ? Object.fromEntries(kept) : undefined;
    },
  },
  sort: {
    call(list: Items, callee?: Callable) {
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
  },
  shuffle: {
    call(list: Items) {
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
  },
  distinct: {
    call(given: unknown) {
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
  },
  append: {
    call(one: unknown, other: unknown) {
      if (one === undefined) return other;
      if (other === undefined) return one;
      const [left, right] = [one, other].map((each) => (Array.isArray(each) ? each : [each]));
      this.work.items(left!.length + right!.length);
      return [...left!, ...right!];
    },
  },
  lookup: {
    call(given: unknown, name: string) {
      return this.lookup(given, name);
    },
  },
  keys: {
    call(given: unknown) {
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
  },
  spread: {
    call(given: unknown) {
      return spread(given, this);
    },
  },
  merge: {
    call(objects?: object[]) {
      if (!objects) return undefined;
      const merged = {};
      for (const object of objects)
        for (const [name, value] of Object.entries(object)) {
          this.work.spend(1);
          setField(merged, name, value);
        }
      return merged;
    },
  },
  clone: {
    call(value: unknown) {
      return copyOf(value, this);
    },
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
