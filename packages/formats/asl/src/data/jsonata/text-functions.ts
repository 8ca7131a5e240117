import { compileSearch } from '../pattern.ts';
import { LimitError, longestText, outOfMemory } from '../work.ts';
import type { Evaluating, OwnFunction } from './evaluating.ts';
import { LinearRegex } from './linear-regex.ts';
import { type Callable, CodedError, fieldOf, isCallable } from './values.ts';

/** Strings and functions of strings: the library's own build strings without a limit, or search them in quadratic time. */
export const textFunctions: Readonly<Record<string, OwnFunction>> = {
  length(text?: string) {
    if (text === undefined) return undefined;
    // Building a list of the characters would take ten times as long.
    let count = 0;
    for (const _ of text) count += 1;
    return count;
  },
  substring(text: string | undefined, start: number, length = Infinity) {
    if (text === undefined) return undefined;
    if (length <= 0) return '';
    const isPlain = !/[\uD800-\uDFFF]/.test(text);
    if (!isPlain) this.work.characters(text.length, 24);
    const characters = isPlain ? text : Array.from(text);
    const from = Math.max(start, -characters.length);
    const end = (from >= 0 ? from : characters.length + from) + length;
    const part = characters.slice(from, end);
    return typeof part === 'string' ? part : part.join('');
  },
  substringBefore(text: string | undefined, wanted: string) {
    const at = text === undefined ? -1 : searchFor(wanted)(text, 0);
    return at < 0 ? text : text!.slice(0, at);
  },
  substringAfter(text: string | undefined, wanted: string) {
    const at = text === undefined ? -1 : searchFor(wanted)(text, 0);
    return at < 0 ? text : text!.slice(at + wanted.length);
  },
  contains(text: string | undefined, wanted: string | Callable) {
    if (text === undefined) return undefined;
    if (typeof wanted === 'string') return searchFor(wanted)(text, 0) >= 0;
    return this.apply(wanted, [text]) !== undefined;
  },
  match(text: string | undefined, pattern: Callable, limit = Infinity) {
    requireLimit(limit, 'D3040');
    if (text === undefined) return undefined;
    return Object.assign(
      Array.from(first(limit, matchesOf(this, pattern, text)), ({ match, start, groups }) => ({
        match,
        index: start,
        groups,
      })),
      { sequence: true },
    );
  },
  replace(
    text: string | undefined,
    pattern: string | Callable,
    replacement: string | Callable,
    limit = Infinity,
  ) {
    if (text === undefined) return undefined;
    if (pattern === '') throw new CodedError('D3010');
    requireLimit(limit, 'D3011');
    let [result, position] = ['', 0];
    for (const found of first(limit, occurrences(this, pattern, text))) {
      const put =
        typeof replacement !== 'string'
          ? this.apply(replacement, [found])
          : typeof pattern === 'string'
            ? replacement
            : filled(replacement, found, this);
      if (typeof put !== 'string') throw new CodedError('D3012');
      result += text.slice(position, found.start) + put;
      if (result.length > longestText) throw outOfMemory();
      this.work.spend(1 + put.length / 256);
      position = found.start + found.match.length;
    }
    return result + text.slice(position);
  },
  split(text: string | undefined, separator: string | Callable, limit = Infinity) {
    if (text === undefined) return undefined;
    requireLimit(limit, 'D3020');
    const most = typeof separator === 'string' ? Math.floor(limit) : Math.ceil(limit);
    if (separator === '') {
      this.work.items(Math.min(text.length, most));
      return text.slice(0, most).split('');
    }
    const parts: string[] = [];
    let position = 0;
    for (const { start, end } of first(most, occurrences(this, separator, text))) {
      parts.push(text.slice(position, start));
      position = end;
    }
    if (parts.length < most) parts.push(text.slice(position));
    return parts;
  },
  pad(text: string | undefined, width: number, filler?: string) {
    if (text === undefined) return undefined;
    const characters = Array.from(filler || ' ');
    const missing = Math.trunc(Math.abs(width)) - Array.from(text).length;
    if (!(missing > 0)) return text;
    this.work.characters(text.length + missing, 4);
    const fill =
      characters.join('').repeat(Math.floor(missing / characters.length)) +
      characters.slice(0, missing % characters.length).join('');
    return width < 0 ? fill + text : text + fill;
  },
  join(texts?: string[], separator = '') {
    if (texts === undefined) return undefined;
    const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0);
    this.work.characters(length);
    this.work.spend(texts.length);
    return texts.join(separator);
  },
  base64decode(text?: string) {
    if (text === undefined) return undefined;
    try {
      return atob(text);
    } catch {
      throw new LimitError('$base64decode: the text is not Base64');
    }
  },
};

function requireLimit(limit: number, code: string): void {
  if (!(limit >= 0)) throw new CodedError(code, { value: limit });
}

function* first<Item>(limit: number, items: Iterable<Item>): Generator<Item> {
  let count = 0;
  if (limit > 0)
    for (const item of items) {
      yield item;
      count += 1;
      if (count >= limit) return;
    }
}

/** A search in linear time. The engine's own is quadratic for some long strings. */
function searchFor(wanted: string): (text: string, from: number) => number {
  return wanted.length > shortText
    ? compileSearch(wanted)
    : (text, from) => text.indexOf(wanted, from);
}

const shortText = 8;

function occurrences(
  evaluator: Evaluating,
  wanted: string | Callable,
  text: string,
): Iterable<Found> {
  return typeof wanted === 'string'
    ? plainOccurrences(evaluator, wanted, text)
    : matchesOf(evaluator, wanted, text);
}

function* plainOccurrences({ work }: Evaluating, match: string, text: string): Generator<Found> {
  const search = searchFor(match);
  for (let start = search(text, 0); start >= 0;) {
    work.spend(1);
    const end = start + match.length;
    yield { match, start, end, groups: [] };
    start = search(text, end);
  }
}

/** `$1` in a replacement, by the digits that a number may have. */
const references: RegExp[] = [];

/** A replacement with its `$0`, `$1` and `$$` filled in. */
function filled(replacement: string, { match, groups }: Found, { work }: Evaluating): string {
  if (!replacement.includes('$')) return replacement;
  const digitsMax = String(groups.length).length;
  let length = replacement.length;
  work.spend(3 + length / 8);
  return replacement.replaceAll(
    (references[digitsMax] ??= new RegExp(`\\$(\\$|0|\\d{1,${digitsMax}})`, 'g')),
    (_, what: string) => {
      if (what === '$') return '$';
      const isTooHigh = what.length > 1 && Number(what) > groups.length;
      const digits = isTooHigh ? what.slice(0, -1) : what;
      const put = digits === '0' ? match : (groups[Number(digits) - 1] ?? '');
      length += put.length;
      if (length > longestText) throw outOfMemory();
      work.spend(1 + put.length / 32);
      return put + what.slice(digits.length);
    },
  );
}

/** Units to compile a pattern, and more for each of its characters and instructions. */
const compileUnits = 400;
const unitsPerCharacter = 20;
/** Units to begin a search, and the steps that cost a unit: instructions times characters read. */
const [searchUnits, stepsPerUnit] = [8, 48];

/** A match of a pattern, or of a function that searches like one. */
interface Found {
  readonly match: string;
  readonly start: number;
  readonly end: number;
  readonly groups: readonly string[];
}

/** A pattern as a function of a string: its first match has a function for the next one. */
export function createMatcher(pattern: RegExp, { work }: Evaluating): Callable {
  work.spend(compileUnits + pattern.source.length * unitsPerCharacter);
  const regex = compiled(pattern);
  work.spend(regex.size * unitsPerCharacter);
  const search = (text: string, from: number): unknown => {
    work.spend(searchUnits);
    const before = regex.reads;
    regex.lastIndex = from;
    const found = regex.exec(text);
    work.spend(((regex.reads - before) * Math.max(regex.size, 8)) / stepsPerUnit);
    if (!found) return undefined;
    const [match, ...groups] = found;
    const end = regex.lastIndex;
    const next = (): unknown => {
      if (end >= text.length) return undefined;
      const following = search(text, end);
      // The search would never end.
      if (fieldOf(following, 'match') === '')
        throw new CodedError('D1004', { value: pattern.source });
      return following;
    };
    return { match, start: found.index, end, groups, next: callable(next) };
  };
  return callable(([text, from]) => search(text as string, (from as number | undefined) ?? 0));
}

function compiled(pattern: RegExp): LinearRegex {
  try {
    return new LinearRegex(pattern);
  } catch (error) {
    throw new LimitError(
      `the pattern ${String(pattern)} has a look-around or a back-reference, which are not matched in linear time`,
      { cause: error },
    );
  }
}

function callable(call: (args: readonly unknown[]) => unknown): Callable {
  return Object.assign(call, { arity: 1 });
}

/** The matches of a pattern or of a function in a string. */
function* matchesOf(evaluator: Evaluating, matcher: unknown, text: string): Generator<Found> {
  let found = evaluator.apply(matcher, [text]);
  while (found !== undefined) {
    const [match, start, end, groups, next] = ['match', 'start', 'end', 'groups', 'next'].map(
      (field) => fieldOf(found, field),
    );
    const isMatch =
      typeof match === 'string' &&
      typeof start === 'number' &&
      typeof end === 'number' &&
      Array.isArray(groups) &&
      isCallable(next);
    if (!isMatch) throw new CodedError('T1010');
    evaluator.work.spend(2 + match.length / 32);
    yield { match, start, end, groups: groups as string[] };
    found = evaluator.apply(next, []);
  }
}
