import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { Dialect } from '../../definition/machine.ts';
import { dialects } from '../../dialect.ts';
import type { Evaluation } from '../evaluation.ts';
import {
  failed,
  intrinsic,
  type Intrinsic,
  jsonOf,
  mostElements,
  requireInteger,
  requireList,
  requireNumber,
  requireShort,
  requireText,
} from './function.ts';
import * as numbers from './numbers.ts';
import { isSame, keyOf } from './same.ts';

const array = intrinsic([0, Infinity], ['any'], 'any', (args) => [...args]);

const arrayPartition = intrinsic([2, 2], ['any', 'number'], 'any', ([given, size]) => {
  const list = requireList(given, 'States.ArrayPartition');
  const length = requireInteger(size, 'States.ArrayPartition');
  if (length < 1) throw failed('States.ArrayPartition makes parts of 1 element or more.');
  const parts: Json[] = [];
  for (let at = 0; at < list.length; at += length) parts.push(list.slice(at, at + length));
  return parts;
});

const arrayContains = intrinsic([2, 2], ['any'], 'any', ([list, wanted]) =>
  requireList(list, 'States.ArrayContains').some((element) => isSame(element, wanted!)),
);

const arrayGetItem = intrinsic([2, 2], ['any', 'number'], 'any', ([given, index], { dialect }) => {
  const list = requireList(given, 'States.ArrayGetItem');
  const at = Math.trunc(requireNumber(index, 'States.ArrayGetItem'));
  if (dialects[dialect].itemIndexIsLenient) return list.at(at) ?? null;
  const item = at < 0 ? undefined : list[at];
  if (item === undefined) {
    throw failed(`States.ArrayGetItem: there is no element ${at} in a list of ${list.length}.`);
  }
  return item;
});

const arrayLength = intrinsic(
  [1, 1],
  ['any'],
  'number',
  ([list]) => requireList(list, 'States.ArrayLength').length,
);

const arrayRange = intrinsic([2, 3], ['number'], 'any', ([first, last, by = 1], { dialect }) => {
  const [from, to, step] = [first, last, by].map((one) => requireInteger(one, 'States.ArrayRange'));
  if (step === 0) throw failed('States.ArrayRange: the step is 0.');
  const end = dialects[dialect].rangeExcludesEnd ? to! - Math.sign(step!) : to!;
  const length = Math.max(Math.floor((end - from!) / step!) + 1, 0);
  if (length > mostElements) {
    throw failed(`States.ArrayRange makes ${mostElements} elements at most, not ${length}.`);
  }
  return Array.from({ length }, (_, index) => from! + index * step!);
});

const arrayUnique = intrinsic([1, 1], ['any'], 'any', ([given]) => {
  const list = requireList(given, 'States.ArrayUnique');
  requireShort(given!, 'States.ArrayUnique');
  const seen = new Set<string>();
  return list.filter((element) => {
    const key = keyOf(element);
    return !seen.has(key) && seen.add(key);
  });
});

/** A value that is not a list is added as one element. */
const arrayConcat = intrinsic([0, Infinity], ['any'], 'any', (args) =>
  args.flatMap((one) => (Array.isArray(one) ? (one as Json[]) : [one])),
);

/** Amazon merges the top level only. */
const jsonMerge = intrinsic([3, 3], ['any'], 'any', ([one, other, deep]) => {
  if (!isRecord(one) || !isRecord(other)) throw failed('States.JsonMerge merges two objects.');
  if (deep !== false) throw failed('States.JsonMerge: the third argument must be false.');
  return { ...one, ...other };
});

/** A deep merge: later values win. Values that are not objects are skipped. */
const merge = intrinsic([0, Infinity], ['any'], 'any', (args) =>
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

const pick = intrinsic([2, Infinity], ['any', 'text'], 'any', ([object, ...names]) => {
  const wanted = new Set(names.map((name) => requireText(name, 'States.Pick')));
  return fieldsOf(object, 'States.Pick', (name) => wanted.has(name));
});

const omit = intrinsic([2, Infinity], ['any', 'text'], 'any', ([object, ...names]) => {
  const unwanted = new Set(names.map((name) => requireText(name, 'States.Omit')));
  return fieldsOf(object, 'States.Omit', (name) => !unwanted.has(name));
});

function fieldsOf(object: Json | undefined, name: string, fits: (field: string) => boolean): Json {
  if (!isRecord(object)) throw failed(`${name} works on an object.`);
  return Object.fromEntries(Object.entries(object).filter(([field]) => fits(field)));
}

/** The first value that is not null. */
const coalesce = intrinsic(
  [1, Infinity],
  ['any'],
  'any',
  (args) => args.find((one) => one !== null) ?? null,
);

const currentTokens = intrinsic([0, 0], ['any'], 'number', (_, evaluation) =>
  usageSoFar(evaluation, 'tokens'),
);

const currentCost = intrinsic([0, 0], ['any'], 'number', (_, evaluation) =>
  usageSoFar(evaluation, 'cost'),
);

/** The usage of the run so far, from `$$.Execution.Usage`. */
function usageSoFar({ context }: Evaluation, what: 'tokens' | 'cost'): number {
  const execution = context['Execution'];
  const usage = isRecord(execution) ? execution['Usage'] : undefined;
  const amount = isRecord(usage) ? usage[what] : undefined;
  return typeof amount === 'number' ? amount : 0;
}

/** Spec: states-language.net/spec.html#appendix-b */
const stringToJson = intrinsic([1, 1], ['text'], 'any', ([given]) => {
  const text = requireText(given, 'States.StringToJson');
  // Amazon's parser reads an empty string as null.
  if (text.trim() === '') return null;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw failed(`States.StringToJson: the text is not JSON: ${text.slice(0, 100)}`);
  }
  requireShort(value, 'States.StringToJson');
  // Amazon's parser reads -0 as 0.
  return value === 0 ? 0 : value;
});

const jsonToString = intrinsic([1, 1], ['any'], 'text', ([value]) =>
  jsonOf(value!, 'States.JsonToString'),
);

/** Splits at each of the characters, without empty parts. */
const stringSplit = intrinsic([2, 2], ['text'], 'any', ([given, characters]) => {
  const text = requireText(given, 'States.StringSplit');
  const splitters = new Set(requireText(characters, 'States.StringSplit'));
  const parts: string[] = [];
  let part = '';
  for (const character of text) {
    if (!splitters.has(character)) part += character;
    else {
      if (part !== '') parts.push(part);
      part = '';
    }
  }
  if (part !== '') parts.push(part);
  return parts;
});

/**
 * Fills `{}` from left to right; `\{` and `\}` are literal.
 *
 * @param template with unresolved escapes
 */
function format(
  template: string,
  args: readonly Json[],
  { isExact }: { readonly isExact: boolean },
): string {
  requireShort([template, ...args], 'States.Format');
  let used = 0;
  const filled = template.replace(formatParts, (hole, escaped: string | undefined) => {
    if (escaped !== undefined) return escaped;
    if (hole !== '{}') {
      if (!isExact) return hole;
      throw failed(`States.Format: ${strayBrace(hole)}.`);
    }
    used += 1;
    return used > args.length ? hole : shown(args[used - 1]!);
  });
  if (isExact && used !== args.length) {
    throw failed(`States.Format: there are ${used} holes for ${args.length} values.`);
  }
  return filled;
}

/** Escaped characters, holes, and braces that are neither. */
const formatParts = /\\(['\\{}])|\{\}|[{}]/g;

function strayBrace(brace: string): string {
  return `"${brace}" is not part of "{}", so write "\\${brace}"`;
}

/** Why a template of Amazon's `States.Format` cannot be filled with so many values, as a clause; undefined when it can. */
export function formatFault(template: string, values: number): string | undefined {
  const parts = [...template.matchAll(formatParts)].filter(([, escaped]) => escaped === undefined);
  const stray = parts.find(([part]) => part !== '{}');
  if (stray) return strayBrace(stray[0]);
  return parts.length === values
    ? undefined
    : `its text has ${parts.length} "{}" for ${values} value${values === 1 ? '' : 's'}`;
}

/** Amazon prints objects as Java does: `{Id=1, Name=x}`. Other values are as in JSON. */
function shown(value: Json): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}=${shown(field)}`);
  return `{${fields.join(', ')}}`;
}

/** Amazon encodes and decodes 10,000 characters at most. AWS "Intrinsic functions" */
const longestEncoded = 10_000;

const base64Encode = intrinsic([1, 1], ['text'], 'text', ([given]) => {
  const text = requireEncodable(requireText(given, 'States.Base64Encode'), 'States.Base64Encode');
  return btoa(
    Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''),
  );
});

const base64Decode = intrinsic([1, 1], ['text'], 'text', ([given]) => {
  const text = requireEncodable(requireText(given, 'States.Base64Decode'), 'States.Base64Decode');
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw failed('States.Base64Decode: the text is not Base64 of a text.');
  }
});

function requireEncodable(text: string, name: string): string {
  if (text.length <= longestEncoded) return text;
  throw failed(`${name} takes ${longestEncoded} characters at most, not ${text.length}.`);
}

const uuid = intrinsic([0, 0], ['any'], 'text', (_, { world }) => world.uuid());

/** An estimate: four bytes a token. */
const tokenCount = intrinsic([1, 1], ['any'], 'number', ([value]) => {
  const text = typeof value === 'string' ? value : jsonOf(value!, 'States.TokenCount');
  return Math.ceil(new TextEncoder().encode(text).length / bytesPerToken);
});

const bytesPerToken = 4;

/** Cuts a string to about this many tokens, and marks the cut with `...`. */
const truncate = intrinsic([2, 2], ['text', 'number'], 'text', ([given, tokens]) => {
  const text = requireText(given, 'States.Truncate');
  const most = Math.max(Math.trunc(Number(tokens)), 0) * bytesPerToken;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= most) return text;
  // The cut may have split a character.
  return `${new TextDecoder().decode(bytes.slice(0, most)).replace(/\uFFFD+$/, '')}...`;
});

/** A literal template keeps its escapes until it is filled. A template from the data has none. */
const formatFunction = intrinsic(
  [1, Infinity],
  ['text', 'any'],
  'text',
  ([template, ...args], { dialect }) =>
    format(requireText(template, 'States.Format'), args, {
      isExact: dialects[dialect].formatIsExact,
    }),
);

/** Spec: states-language.net/spec.html#appendix-b */
const amazonFunctions: Readonly<Record<string, Intrinsic>> = {
  'States.Format': formatFunction,
  'States.StringToJson': stringToJson,
  'States.JsonToString': jsonToString,
  'States.Array': array,
  'States.ArrayPartition': arrayPartition,
  'States.ArrayContains': arrayContains,
  'States.ArrayRange': { ...arrayRange, least: 3 },
  'States.ArrayGetItem': arrayGetItem,
  'States.ArrayLength': arrayLength,
  'States.ArrayUnique': arrayUnique,
  'States.Base64Encode': base64Encode,
  'States.Base64Decode': base64Decode,
  'States.Hash': numbers.hashFunction,
  'States.JsonMerge': jsonMerge,
  'States.MathRandom': { ...numbers.mathRandom, least: 2 },
  'States.MathAdd': numbers.mathAdd,
  'States.StringSplit': stringSplit,
  'States.UUID': uuid,
};

/**
 * Spec: the reference of Agent State Language, "Intrinsic functions", and functions that chapter 7 uses but does not
 * define
 */
const agentFunctions: Readonly<Record<string, Intrinsic>> = {
  ...amazonFunctions,
  'States.ArrayRange': arrayRange,
  'States.ArrayConcat': arrayConcat,
  'States.MathRandom': numbers.mathRandom,
  'States.MathSubtract': numbers.mathSubtract,
  'States.MathMultiply': numbers.mathMultiply,
  'States.TokenCount': tokenCount,
  'States.Truncate': truncate,
  'States.CurrentCost': currentCost,
  'States.CurrentTokens': currentTokens,
  'States.Coalesce': coalesce,
  'States.Merge': merge,
  'States.Pick': pick,
  'States.Omit': omit,
};

/** The functions of a dialect, by name. */
export function functionsOf(dialect: Dialect): Readonly<Record<string, Intrinsic>> {
  return dialect === 'amazon' ? amazonFunctions : agentFunctions;
}
