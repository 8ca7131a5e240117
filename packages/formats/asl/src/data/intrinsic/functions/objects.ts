import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { Evaluation } from '../../evaluation.ts';
import { failed, intrinsic, requireText } from '../function.ts';

/** Amazon merges the top level only. */
export const jsonMerge = intrinsic([3, 3], ['any'], 'any', ([one, other, deep]) => {
  if (!isRecord(one) || !isRecord(other)) throw failed('States.JsonMerge merges two objects.');
  if (deep !== false) throw failed('States.JsonMerge: the third argument must be false.');
  return { ...one, ...other };
});

/** A deep merge: later values win. Values that are not objects are skipped. */
export const merge = intrinsic([0, Infinity], ['any'], 'any', (args) =>
  args.filter((one) => isRecord(one)).reduce<JsonObject>((into, one) => merged(into, one, 0), {}),
);

/** Deeper than any real data, but far from a stack overflow. */
const deepest = 500;

function merged(into: JsonObject, from: JsonObject, depth: number): JsonObject {
  if (depth > deepest)
    throw failed(`States.Merge: the data is nested more than ${deepest} levels deep.`);
  const fields = new Map<string, Json>(Object.entries(into));
  for (const [name, value] of Object.entries(from)) {
    const old = fields.get(name);
    fields.set(name, isRecord(old) && isRecord(value) ? merged(old, value, depth + 1) : value);
  }
  return Object.fromEntries(fields);
}

export const pick = intrinsic([2, Infinity], ['any', 'text'], 'any', ([object, ...names]) => {
  const wanted = new Set(names.map((name) => requireText(name, 'States.Pick')));
  return fieldsOf(object, 'States.Pick', (name) => wanted.has(name));
});

export const omit = intrinsic([2, Infinity], ['any', 'text'], 'any', ([object, ...names]) => {
  const unwanted = new Set(names.map((name) => requireText(name, 'States.Omit')));
  return fieldsOf(object, 'States.Omit', (name) => !unwanted.has(name));
});

function fieldsOf(object: Json | undefined, name: string, fits: (field: string) => boolean): Json {
  if (!isRecord(object)) throw failed(`${name} works on an object.`);
  return Object.fromEntries(Object.entries(object).filter(([field]) => fits(field)));
}

/** The first value that is not null. */
export const coalesce = intrinsic(
  [1, Infinity],
  ['any'],
  'any',
  (args) => args.find((one) => one !== null) ?? null,
);

export const currentTokens = intrinsic([0, 0], ['any'], 'number', (_, evaluation) =>
  usageSoFar(evaluation, 'tokens'),
);

export const currentCost = intrinsic([0, 0], ['any'], 'number', (_, evaluation) =>
  usageSoFar(evaluation, 'cost'),
);

/** The usage of the run so far, from `$$.Execution.Usage`. */
function usageSoFar({ context }: Evaluation, what: 'tokens' | 'cost'): number {
  const execution = context['Execution'];
  const usage = isRecord(execution) ? execution['Usage'] : undefined;
  const amount = isRecord(usage) ? usage[what] : undefined;
  return typeof amount === 'number' ? amount : 0;
}
