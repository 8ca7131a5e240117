import { DramaturgError, type Json } from '@dramaturg/compiler';
import { hashOf, SeededRandom } from '../intrinsic/numbers.ts';
import { type Evaluator, validated } from './evaluator.ts';
import type { Evaluating, OwnFunction } from './evaluating.ts';
import { formatNumber } from './format-number.ts';
import { inLibrary, libraryFunction } from './library.ts';
import { listFunctions } from './list-functions.ts';
import type { Signature } from './syntax.ts';
import { textFunctions } from './text-functions.ts';
import { asSequence, type Callable, CodedError } from './values.ts';
import { LimitError } from '../work.ts';

/** The most characters of a picture, and of a string that is read by it. The library analyses pictures in quadratic time. */
const pictureMax = 1_000;
/** The highest number in Roman numerals: the library writes an M for each thousand. */
const romanMax = 1_000_000;

/** The library's functions for dates and pictures, limited to arguments with which they terminate. */
const dateFunctions: Readonly<Record<string, OwnFunction>> = {
  formatInteger(value: number | undefined, picture: string) {
    requireShort('formatInteger', picture);
    if (value === undefined) return undefined;
    this.work.spend(picture.length + Math.min(Math.abs(value), romanMax) / 4_000);
    if (!Number.isFinite(value)) throw new CodedError('D1001', { value: String(value) });
    if (/^i/i.test(picture) && Math.abs(value) > romanMax)
      throw new LimitError(`$formatInteger writes Roman numerals up to ${romanMax}`);
    return libraryFunction('formatInteger')(value, picture);
  },
  parseInteger(text: string | undefined, picture: string) {
    requireShort('parseInteger', picture, text);
    this.work.spend(picture.length + (text?.length ?? 0));
    return libraryFunction('parseInteger')(text, picture);
  },
  fromMillis,
  now(picture?: string, timezone?: string) {
    return fromMillis.call(this, this.world.now(), picture, timezone);
  },
  millis() {
    return this.world.now();
  },
  toMillis(text?: string, picture?: string) {
    if (text === undefined) return undefined;
    requireShort('toMillis', picture, text);
    this.work.spend(50 + text.length + (picture?.length ?? 0) * 20);
    if (picture !== undefined && !isQuickToRead(text, picture))
      throw new LimitError('$toMillis: the text can be read in too many ways');
    const environment = { timestamp: new Date(this.world.now()) };
    const millis = libraryFunction('toMillis').call({ environment }, text, picture);
    if (Number.isNaN(millis) || (picture === undefined && !hasDay(text)))
      throw new CodedError('D3110', { value: text });
    return millis;
  },
};

/** Whether the month of a timestamp has its day: JavaScript takes 30 February for 2 March. */
function hasDay(timestamp: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(timestamp) ?? [];
  return day === undefined || Number(day) <= new Date(Number(year), Number(month), 0).getDate();
}

/** `[PN]`: am or pm in upper case. */
const upperCaseMarker = /(?<!\[)(\[\s*P\s*N(?!n)[^\]]*\])/;

function fromMillis(
  this: Evaluating,
  millis?: number,
  picture?: string,
  timezone?: string,
): string | undefined {
  requireShort('fromMillis', picture, timezone);
  this.work.spend(50 + (picture?.length ?? 0) * 2);
  if (millis === undefined) return undefined;
  // The library takes the hours and minutes of an offset from one number.
  const offset = timezone === undefined ? 0 : Number.parseInt(timezone, 10);
  const minutes = Math.floor(offset / 100) * 60 + (offset % 100);
  if (Number.isNaN(new Date(millis + minutes * 60_000).getTime()))
    throw new LimitError(`$fromMillis: ${millis} is not a date that can be shown`);
  const parts = picture?.split(upperCaseMarker) ?? [picture];
  const shown = parts.map((part) => {
    if (part === '') return '';
    const text = libraryFunction('fromMillis')(millis, part, timezone) as string;
    return upperCaseMarker.test(part ?? '') ? text.toUpperCase() : text;
  });
  return shown.join('');
}

/** A width such as `[Y,4-99999]`, which the library fills with zeros. */
const longWidth = /\[[^\]]*,[^\]]*\d{4}/;

function requireShort(name: string, picture = '', text = ''): void {
  if (picture.length > pictureMax || text.length > pictureMax || longWidth.test(picture))
    throw new LimitError(`$${name} takes ${pictureMax} characters and widths of 999 at most`);
}

/** The most ways to read a string: trying them takes some milliseconds. */
const mostWays = 1_000_000;

/**
 * Whether the library can read a string by a picture such as `[Y0001]-[M01]` quickly. Its patterns have no length
 * limit, so it tries every way to split a string among parts without a separator.
 */
function isQuickToRead(text: string, picture: string): boolean {
  const pieces = picture.match(/\[\[|\[[^\]]*\]?|[^[]+/g) ?? [];
  const hasWords = pieces.some((piece) => /^\[\s*\w\s*[wW]/.test(piece));
  const separator = hasWords ? /[^A-Za-z0-9 ,-]/ : /[^A-Za-z0-9]/;
  let shares = 0;
  let isFree = false;
  for (const piece of pieces) {
    if (piece.startsWith('[') && piece !== '[[') {
      if (isFree) shares += 1;
      isFree = true;
    } else if (separator.test(piece)) isFree = false;
  }
  return shares === 0 || waysOf(text.length, shares + 1) <= mostWays;
}

/** The number of ways to choose positions in a string. */
function waysOf(length: number, places: number): number {
  let ways = 1;
  for (let place = 0; place < places && ways <= mostWays; place += 1) {
    ways = (ways * Math.max(length - place, 1)) / (place + 1);
  }
  return ways;
}

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
