import type { Json } from '@dramaturg/compiler';
import { dialects } from '../../../dialect.ts';
import { isSame, keyOf } from '../same.ts';
import {
  failed,
  intrinsic,
  requireList,
  mostElements,
  requireNumber,
  requireShort,
  requireInteger,
} from '../function.ts';

export const array = intrinsic([0, Infinity], ['any'], 'any', (args) => [...args]);

export const arrayPartition = intrinsic([2, 2], ['any', 'number'], 'any', ([given, size]) => {
  const list = requireList(given, 'States.ArrayPartition');
  const length = requireInteger(size, 'States.ArrayPartition');
  if (length < 1) throw failed('States.ArrayPartition makes parts of 1 element or more.');
  const parts: Json[] = [];
  for (let at = 0; at < list.length; at += length) parts.push(list.slice(at, at + length));
  return parts;
});

export const arrayContains = intrinsic([2, 2], ['any'], 'any', ([list, wanted]) =>
  requireList(list, 'States.ArrayContains').some((element) => isSame(element, wanted!)),
);

export const arrayGetItem = intrinsic(
  [2, 2],
  ['any', 'number'],
  'any',
  ([given, index], { dialect }) => {
    const list = requireList(given, 'States.ArrayGetItem');
    const at = Math.trunc(requireNumber(index, 'States.ArrayGetItem'));
    if (dialects[dialect].itemIndexIsLenient) return list.at(at) ?? null;
    const item = at < 0 ? undefined : list[at];
    if (item === undefined) {
      throw failed(`States.ArrayGetItem: there is no element ${at} in a list of ${list.length}.`);
    }
    return item;
  },
);

export const arrayLength = intrinsic(
  [1, 1],
  ['any'],
  'number',
  ([list]) => requireList(list, 'States.ArrayLength').length,
);

export const arrayRange = intrinsic(
  [2, 3],
  ['number'],
  'any',
  ([first, last, by = 1], { dialect }) => {
    const [from, to, step] = [first, last, by].map((one) =>
      requireInteger(one, 'States.ArrayRange'),
    );
    if (step === 0) throw failed('States.ArrayRange: the step is 0.');
    const end = dialects[dialect].rangeExcludesEnd ? to! - Math.sign(step!) : to!;
    const length = Math.max(Math.floor((end - from!) / step!) + 1, 0);
    if (length > mostElements) {
      throw failed(`States.ArrayRange makes ${mostElements} elements at most, not ${length}.`);
    }
    return Array.from({ length }, (_, index) => from! + index * step!);
  },
);

export const arrayUnique = intrinsic([1, 1], ['any'], 'any', ([given]) => {
  const list = requireList(given, 'States.ArrayUnique');
  requireShort(given!, 'States.ArrayUnique');
  const seen = new Set<string>();
  return list.filter((element) => {
    const key = keyOf(element);
    return !seen.has(key) && seen.add(key);
  });
});

/** A value that is not a list is added as one element. */
export const arrayConcat = intrinsic([0, Infinity], ['any'], 'any', (args) =>
  args.flatMap((one) => (Array.isArray(one) ? (one as Json[]) : [one])),
);
