import { DramaturgError, type Json } from '@dramaturg/compiler';
import { hashOf, SeededRandom } from '../intrinsic/numbers.ts';
import { dateFunctions } from './date-functions.ts';
import { type Evaluator, validated } from './evaluator.ts';
import type { OwnFunction } from './evaluating.ts';
import { formatNumber } from './format-number.ts';
import { inLibrary, libraryFunction } from './library.ts';
import { listFunctions } from './list-functions.ts';
import type { Signature } from './syntax.ts';
import { textFunctions } from './text-functions.ts';
import { asSequence, type Callable, CodedError } from './values.ts';
import { LimitError } from '../work.ts';

/** The signatures of the functions that AWS adds. */
const signatures: Readonly<Record<string, string>> = {
  partition: '<a-n:a>',
  range: '<nnn:x>',
  hash: '<xs:s>',
  random: '<n?:n>',
  uuid: '<:s>',
  parse: '<s:x>',
};

/** Spec: AWS "Transforming data with JSONata", functions */
const amazonFunctions: Readonly<Record<string, OwnFunction>> = {
  partition(list: Json[] | undefined, size: number) {
    if (list === undefined) return undefined;
    const length = Math.trunc(size);
    if (!(length >= 1)) throw new LimitError('$partition makes parts of 1 element or more');
    const parts: Json[][] = [];
    for (let at = 0; at < list.length; at += length) parts.push(list.slice(at, at + length));
    return parts;
  },
  range(from: number, to: number, step: number) {
    const [first, last, by] = [from, to, step].map(Math.trunc) as [number, number, number];
    const length = Math.floor((last - first) / by) + 1;
    if (!Number.isFinite(length))
      throw new LimitError('$range takes numbers and a step that is not 0');
    this.work.items(Math.max(length, 0));
    // AWS unwraps a range of one number.
    return asSequence(Array.from({ length: Math.max(length, 0) }, (_, at) => first + at * by));
  },
  hash(value: Json | undefined, algorithm: string) {
    if (value === undefined) return undefined;
    const text = this.textOf(value);
    this.work.spend(60 + text.length / 4);
    return hashOf(text, algorithm, '$hash');
  },
  random(seed?: number) {
    this.work.spend(4);
    return seed === undefined ? this.world.random() : new SeededRandom(finite(seed)).next();
  },
  uuid() {
    this.work.spend(60);
    return this.world.uuid();
  },
  parse(text?: string) {
    if (text === undefined) return undefined;
    this.work.spend(text.length / 4);
    try {
      const value = JSON.parse(text) as Json;
      return value === 0 ? 0 : value;
    } catch {
      throw new LimitError('$parse: the text is not JSON');
    }
  },
};

const ownFunctions: Readonly<Record<string, OwnFunction>> = {
  ...amazonFunctions,
  ...dateFunctions,
  ...listFunctions,
  ...textFunctions,
  formatNumber(value: number | undefined, picture: string, options?: object) {
    this.work.spend(60 + picture.length * 2);
    return value === undefined ? undefined : formatNumber(value, picture, options);
  },
  number(value?: unknown) {
    return typeof value === 'string' && withRadix.test(value)
      ? Number(value)
      : libraryFunction('number')(value);
  },
};

/** `0x1F`, `0o17`, `0b11`: as in JSONata 2.0.6 */
const withRadix = /^(?:0[xX][\dA-Fa-f]+|0[oO][0-7]+|0[bB][01]+)$/;

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new CodedError('D1001', { value: String(value) });
  return value;
}

/** Units for a call: checking the arguments takes as long as some parts of an expression. */
const callUnits = 10;
/** How much longer than others a function takes for each character and item. */
const factors: Readonly<Record<string, number>> = {
  base64decode: 3,
  base64encode: 3,
  count: 0,
  decodeUrl: 4,
  decodeUrlComponent: 4,
  encodeUrl: 4,
  encodeUrlComponent: 4,
  length: 3,
  lowercase: 2,
  trim: 8,
  uppercase: 2,
  zip: 5,
};

/** The function with a name, for one evaluation. Undefined for `$eval` and functions that do not exist. */
export function functionNamed(name: string, evaluator: Evaluator): Callable | undefined {
  const definition = name === 'eval' ? undefined : definitionOf(name);
  if (!definition) return undefined;
  const { signature, implementation, arity } = definition;
  const factor = factors[name] ?? 1;
  const call = (given: readonly unknown[], input?: unknown): unknown => {
    const { work } = evaluator;
    work.spend(callUnits);
    for (const argument of given) {
      if (typeof argument === 'string') work.characters(argument.length, factor);
      else if (Array.isArray(argument)) work.items(argument.length, factor);
    }
    try {
      const args = signature ? validated(signature, given, input) : given;
      return implementation.apply(evaluator, args as never[]);
    } catch (error) {
      if (error instanceof DramaturgError && !(error instanceof CodedError)) throw error;
      const { code, ...fields } = error as { readonly code?: unknown; readonly message?: string };
      if (typeof code === 'string') {
        const coded = error instanceof CodedError ? error : new CodedError(code, fields);
        coded.token ??= name;
        throw coded;
      }
      // Any other error of the library is about its own code.
      throw new LimitError(`$${name} cannot work with these arguments`, { cause: error });
    }
  };
  return Object.assign(call, { arity });
}

interface Definition {
  readonly signature?: Signature;
  readonly implementation: OwnFunction;
  readonly arity: number;
}

const definitions = new Map<string, Definition | undefined>();

/** The library evaluates an expression to find its functions and signatures, so each is found once. */
function definitionOf(name: string): Definition | undefined {
  if (definitions.has(name)) return definitions.get(name);
  const own = Object.hasOwn(ownFunctions, name) ? ownFunctions[name] : undefined;
  const found = /^[A-Za-z]\w*$/.test(name)
    ? inLibrary(name, { own, signature: own && signatures[name] })
    : undefined;
  const definition = found && {
    ...(found.signature && { signature: found.signature }),
    implementation: own ?? found.implementation,
    arity: found.implementation.length,
  };
  definitions.set(name, definition);
  return definition;
}
