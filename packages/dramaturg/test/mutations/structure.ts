import type { Random } from './random.ts';

/** A whole definition that is changed in place. */
export type Tree = Record<string, unknown> | unknown[];

/** A part of a tree: the object or list that holds it, and its key there. */
interface ValueLocation {
  readonly holder: Tree;
  readonly key: string;
}

type Mutation = (place: ValueLocation, random: Random, root: Tree) => void;

/** Changes one part of a tree and describes the change. */
export function mutateStructure(root: Tree, random: Random): string {
  const places = placesIn(root);
  if (places.length === 0) return 'nothing';
  const place = random.of(places);
  const name = random.of(names);
  mutations[name]!(place, random, root);
  return `${name} ${place.key}`;
}

const mutations: Readonly<Record<string, Mutation>> = {
  remove: ({ holder, key }) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  },
  'repeat beside': (place, random) => {
    const copy = structuredClone(valueAt(place));
    if (Array.isArray(place.holder)) place.holder.splice(Number(place.key), 0, copy);
    else define(place.holder, misspelt(place.key, random), copy);
  },
  'repeat often': (place, random) => {
    if (!Array.isArray(place.holder)) return setAt(place, odd(random));
    const copies = Array.from({ length: 60 }, () => structuredClone(valueAt(place)));
    place.holder.splice(Number(place.key), 0, ...copies);
  },
  'misspell key of': (place, random) => rename(place, misspelt(place.key, random)),
  'give another key to': (place, random, root) => rename(place, random.of(placesIn(root)).key),
  'give a reserved name to': (place, random) => rename(place, random.of(reserved)),
  'misspell value of': (place, random) => {
    const value = valueAt(place);
    setAt(place, typeof value === 'string' ? misspelt(value, random) : odd(random));
  },
  'name a reserved word in': (place, random) => setAt(place, random.of(reserved)),
  'take another text for': (place, random, root) => {
    const texts = placesIn(root)
      .map(valueAt)
      .filter((value) => typeof value === 'string');
    if (texts.length > 0) setAt(place, random.of(texts));
  },
  'copy another part to': (place, random, root) =>
    setAt(place, structuredClone(valueAt(random.of(placesIn(root))))),
  'swap with another part': (place, random, root) => {
    const other = random.of(placesIn(root));
    const [one, two] = [structuredClone(valueAt(place)), structuredClone(valueAt(other))];
    setAt(place, two);
    if (isStillThere(other, root)) setAt(other, one);
  },
  'odd value for': (place, random) => setAt(place, odd(random)),
  'as a list': (place) => setAt(place, [valueAt(place)]),
  'as an object': (place) => setAt(place, { value: valueAt(place) }),
  'first part of': (place) => {
    const value = valueAt(place);
    setAt(place, isTree(value) ? Object.values(value)[0] : null);
  },
  'as a text': (place) => setAt(place, JSON.stringify(valueAt(place)) ?? ''),
  'list as object or object as list': (place) => {
    const value = valueAt(place);
    if (Array.isArray(value)) setAt(place, Object.fromEntries(Object.entries(value)));
    else if (isTree(value)) setAt(place, Object.values(value));
  },
  empty: (place) => {
    const value = valueAt(place);
    setAt(place, Array.isArray(value) ? [] : isTree(value) ? {} : '');
  },
  reverse: (place) => {
    const value = valueAt(place);
    if (Array.isArray(value)) value.reverse();
    else if (isTree(value)) setAt(place, Object.fromEntries(Object.entries(value).toReversed()));
  },
};
const names = Object.keys(mutations);

const reserved = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  '*',
  '$previous',
  'length',
  '0',
  '',
  ' ',
  'xstate.init',
];

/** A value that is rarely valid. */
function odd(random: Random): unknown {
  return random.of<() => unknown>([
    () => null,
    () => true,
    () => 'yes',
    () => 'true',
    () => 0,
    () => -1,
    () => 1.5,
    () => 1e21,
    () => Number.MAX_SAFE_INTEGER,
    () => [],
    () => ({}),
    () => [[]],
    () => [null],
    () => ({ '': null }),
    () => 'ä'.repeat(3_000),
    () => '\u{1F600}\u202E\u0000\uFFFF \n',
    () => nested(60),
    () => ({ toString: null, valueOf: 1, length: -1 }),
    () => '$.a[?(@.b)]',
    () => '{% $x %}',
    () => '{{hole}}',
  ])();
}

function nested(depth: number): unknown {
  return depth === 0 ? 1 : depth % 2 === 0 ? [nested(depth - 1)] : { a: nested(depth - 1) };
}

/** A text with one typing error: a letter lost, doubled, swapped, replaced or in the other case. */
export function misspelt(text: string, random: Random): string {
  if (text.length === 0) return 'x';
  const at = random.below(text.length);
  const letter = text[at]!;
  const slip = random.of([
    '',
    letter + letter,
    (text[at + 1] ?? '') + letter,
    'q',
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  ]);
  const isSwap = slip.length === 2 && text[at + 1] !== undefined && slip[0] === text[at + 1];
  return text.slice(0, at) + slip + text.slice(at + (isSwap ? 2 : 1));
}

function placesIn(root: Tree): ValueLocation[] {
  const places: ValueLocation[] = [];
  const pending: Tree[] = [root];
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    for (const key of Object.keys(holder)) {
      places.push({ holder, key });
      const value = valueAt({ holder, key });
      if (isTree(value)) pending.push(value);
    }
  }
  return places;
}

function isStillThere({ holder, key }: ValueLocation, root: Tree): boolean {
  return placesIn(root).some((place) => place.holder === holder && place.key === key);
}

function rename(place: ValueLocation, key: string): void {
  if (Array.isArray(place.holder)) return;
  const entries = Object.entries(place.holder);
  for (const [name] of entries) delete place.holder[name];
  for (const [name, value] of entries) define(place.holder, name === place.key ? key : name, value);
}

function valueAt({ holder, key }: ValueLocation): unknown {
  return Object.getOwnPropertyDescriptor(holder, key)?.value;
}

function setAt({ holder, key }: ValueLocation, value: unknown): void {
  define(holder, key, value);
}

/** Defined and not assigned, because a key may be `__proto__`. */
function define(holder: Tree, key: string, value: unknown): void {
  Object.defineProperty(holder, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null;
}
