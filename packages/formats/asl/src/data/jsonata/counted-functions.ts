import { engines } from '#engines';
import type { JsonataFunction } from './function.ts';
import type { Watch } from './watch.ts';

/** Functions of the library whose work grows with their arguments, with their signatures. */
const signatures: Readonly<Record<string, string>> = {
  sum: '<a<n>:n>',
  max: '<a<n>:n>',
  min: '<a<n>:n>',
  average: '<a<n>:n>',
  count: '<a:n>',
  string: '<x-b?:s>',
  number: '<(nsb)-:n>',
  boolean: '<x-:b>',
  not: '<x-:b>',
  substring: '<s-nn?:s>',
  substringBefore: '<s-s:s>',
  substringAfter: '<s-s:s>',
  lowercase: '<s-:s>',
  uppercase: '<s-:s>',
  trim: '<s-:s>',
  match: '<s-f<s:o>n?:a<o>>',
  contains: '<s-(sf):b>',
  replace: '<s-(sf)(sf)n?:s>',
  split: '<s-(sf)n?:a<s>>',
  formatNumber: '<n-so?:s>',
  formatInteger: '<n-s:s>',
  parseInteger: '<s-s:n>',
  fromMillis: '<n-s?s?:s>',
  base64encode: '<s-:s>',
  base64decode: '<s-:s>',
  encodeUrlComponent: '<s-:s>',
  encodeUrl: '<s-:s>',
  decodeUrlComponent: '<s-:s>',
  decodeUrl: '<s-:s>',
  map: '<af>',
  filter: '<af>',
  single: '<af?>',
  reduce: '<afj?:j>',
  zip: '<a+>',
  keys: '<x-:a<s>>',
  append: '<xx:a>',
  reverse: '<a:a>',
  each: '<o-f:a>',
  sort: '<af?:a>',
  shuffle: '<a:a>',
  clone: '<(oa)-:o>',
};

/** Units for a call of these functions, besides those for its arguments. */
const callUnits: Readonly<Record<string, number>> = {
  formatNumber: 8,
  formatInteger: 8,
  parseInteger: 8,
  fromMillis: 8,
  toMillis: 20,
};

/** Functions that read their arguments at all depths. */
const deepFunctions: ReadonlySet<string> = new Set([
  'string',
  'clone',
  'hash',
  'distinct',
  'boolean',
  'not',
  'merge',
  'spread',
]);

/** Characters of a text, items of a list, and values at any depth, that cost a unit. */
const [charactersPerUnit, itemsPerUnit, valuesPerUnit] = [128, 16, 8];

/**
 * The functions of expressions, each with its work counted before it begins.
 *
 * @param own functions that replace or extend those of the library
 */
export function countedFunctions(
  own: Readonly<Record<string, JsonataFunction>>,
  watch: () => Watch,
): Readonly<Record<string, JsonataFunction>> {
  const library = Object.entries(signatures).map(([name, signature]): [string, JsonataFunction] => [
    name,
    { signature, call: implementationOf(name) },
  ]);
  return Object.fromEntries(
    [...library, ...Object.entries(own)].map(([name, { signature, call }]) => {
      const counted = function (this: unknown, ...args: unknown[]): unknown {
        watch().spend((callUnits[name] ?? 1) + workOf(name, args, watch()));
        return call.apply(this, args);
      };
      // A function that calls this one passes as many arguments as it takes.
      Object.defineProperty(counted, 'length', { value: call.length });
      // The library reads the names of the parameters when a call such as `$substring(?, 0)` leaves some of them open.
      counted.toString = () => `function(${parametersOf(signature).join(', ')})`;
      return [name, { signature, call: counted }];
    }),
  );
}

/** A name for each parameter of a signature such as `<s-(sf)n?:a<s>>`. */
function parametersOf(signature: string): readonly string[] {
  const types = signature
    .slice(1)
    .split(':', 1)[0]!
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/\(\w+\)/g, 'x');
  return Array.from(types.match(/[a-z]/g) ?? [], (_, at) => `p${at}`);
}

type Implementation = (this: unknown, ...args: unknown[]) => unknown;

const implementations = new Map<string, Implementation>();

/** The library's own function of a name. The library has to evaluate an expression to find it, so it is found once. */
export function implementationOf(name: string): Implementation {
  const known = implementations.get(name);
  if (known) return known;
  const found = engines().jsonata(`$${name}`).evaluate({}) as { implementation: Implementation };
  implementations.set(name, found.implementation);
  return found.implementation;
}

function workOf(name: string, args: readonly unknown[], watch: Watch): number {
  let work = 0;
  for (const arg of args) {
    if (typeof arg === 'string')
      work += (arg.length / charactersPerUnit) * (name === 'substring' ? 3 : 1);
    else if (deepFunctions.has(name)) work += watch.sizeOf(arg) / valuesPerUnit;
    else if (Array.isArray(arg))
      work += (arg.length / itemsPerUnit) * (name === 'sort' ? sortFactor(arg) : 1);
    else if (typeof arg === 'object' && arg !== null)
      work += Object.keys(arg).length / itemsPerUnit;
  }
  return work;
}

/** Comparisons of each item. */
function sortFactor({ length }: readonly unknown[]): number {
  return 4 * Math.log2(length + 1);
}
