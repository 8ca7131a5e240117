import type { Dialect } from '../../definition/index.ts';
import { dialects } from '../../dialect.ts';
import { type Intrinsic, intrinsic, requireText } from './function.ts';
import * as lists from './functions/lists.ts';
import * as numbers from './functions/numbers.ts';
import * as objects from './functions/objects.ts';
import * as texts from './functions/texts.ts';

/** A literal template keeps its escapes until it is filled. A template from the data has none. */
const format = intrinsic(
  [1, Infinity],
  ['text', 'any'],
  'text',
  ([template, ...args], { dialect }) =>
    texts.format(requireText(template, 'States.Format'), args, {
      isExact: dialects[dialect].formatIsExact,
    }),
);

/** Spec: states-language.net/spec.html#appendix-b */
const amazonFunctions: Readonly<Record<string, Intrinsic>> = {
  'States.Format': format,
  'States.StringToJson': texts.stringToJson,
  'States.JsonToString': texts.jsonToString,
  'States.Array': lists.array,
  'States.ArrayPartition': lists.arrayPartition,
  'States.ArrayContains': lists.arrayContains,
  'States.ArrayRange': { ...lists.arrayRange, least: 3 },
  'States.ArrayGetItem': lists.arrayGetItem,
  'States.ArrayLength': lists.arrayLength,
  'States.ArrayUnique': lists.arrayUnique,
  'States.Base64Encode': texts.base64Encode,
  'States.Base64Decode': texts.base64Decode,
  'States.Hash': numbers.hashFunction,
  'States.JsonMerge': objects.jsonMerge,
  'States.MathRandom': { ...numbers.mathRandom, least: 2 },
  'States.MathAdd': numbers.mathAdd,
  'States.StringSplit': texts.stringSplit,
  'States.UUID': texts.uuid,
};

/**
 * Spec: the reference of Agent State Language, "Intrinsic functions", and functions that chapter 7 uses but does not
 * define
 */
const agentFunctions: Readonly<Record<string, Intrinsic>> = {
  ...amazonFunctions,
  'States.ArrayRange': lists.arrayRange,
  'States.ArrayConcat': lists.arrayConcat,
  'States.MathRandom': numbers.mathRandom,
  'States.MathSubtract': numbers.mathSubtract,
  'States.MathMultiply': numbers.mathMultiply,
  'States.TokenCount': texts.tokenCount,
  'States.Truncate': texts.truncate,
  'States.CurrentCost': objects.currentCost,
  'States.CurrentTokens': objects.currentTokens,
  'States.Coalesce': objects.coalesce,
  'States.Merge': objects.merge,
  'States.Pick': objects.pick,
  'States.Omit': objects.omit,
};

/** The functions of a dialect, by name. */
export function functionsOf(dialect: Dialect): Readonly<Record<string, Intrinsic>> {
  return dialect === 'amazon' ? amazonFunctions : agentFunctions;
}
