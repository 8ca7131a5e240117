import { en } from 'zod/locales';
import type * as z from 'zod/mini';

/** For `safeParse` when zod's own messages reach a person: `zod/mini` is small and loads no language itself. */
export const inEnglish: z.core.ParseContext<z.core.$ZodIssue> = { error: en().localeError };

/** A message as a word to compare: in lower case, without quotes around it, and without punctuation and emoji at its end. */
export function bareWord(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^[\s\p{Pi}\p{Pf}\p{Ps}"'`¡¿]+/u, '')
    .replace(/[\s\p{P}`\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}\u{200D}]+$/u, '')
    .replace(/[\s,]+/gu, ' ');
}

/** Words around names in sentences: articles, plurals and lists. All names here are English nouns, except those in quotes. */

/**
 * A noun with its indefinite article: `an NPC`, `a unit`.
 *
 * Do not use it for a name in quotes, which can be in any language: word such a sentence without an article.
 */
export function withArticle(noun: string, article: 'a' | 'A' = 'a'): string {
  return `${article}${beginsWithVowelSound(noun) ? 'n' : ''} ${noun}`;
}

function beginsWithVowelSound(noun: string): boolean {
  const [word = ''] = noun.split(/[^\p{L}\p{N}]/u);
  if (/^[A-Z][A-Z0-9]+s?$/.test(word)) return /^[AEFHILMNORSX]/.test(word);
  if (/^(?:hour|heir|honest|honou?r)/i.test(word)) return true;
  if (/^(?:eu|ewe|on(?:c)?e(?:$|\P{L}|sel|s$)|u(?:bi|ni(?!n|m)|s(?:a|e|u)|ti))/iu.test(word))
    return false;
  return /^(?:[aeiouàáâäåæèéêëìíîïòóôöøùúûü]|8|1[18]$)/i.test(word);
}

/** `1 field`, `2 fields`, `0 fields`. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : pluralOf(noun)}`;
}

/** `field` for one, `fields` for any other number. */
export function agreeing(noun: string, count: number): string {
  return count === 1 ? noun : pluralOf(noun);
}

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/i.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(noun) ? `${noun}es` : `${noun}s`;
}

const longestList = 8;

/** `"a", "b" and "c"`; of a long list, the first eight and how many more there are. */
export function quotedList(names: readonly string[], last: 'and' | 'or' = 'and'): string {
  const quoted = names.slice(0, longestList).map((name) => `"${name}"`);
  const rest = names.length - quoted.length;
  const items = rest > 0 ? [...quoted, `${rest} more`] : quoted;
  return items.length < 2
    ? items.join('')
    : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
}

/** `"a" → "b" → "a"`; a long chain is cut in the middle. */
export function quotedChain(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  const shown =
    quoted.length > longestList ? [...quoted.slice(0, 5), '…', ...quoted.slice(-2)] : quoted;
  return shown.join(' → ');
}

/** Longer strings are not names, and comparing them would cost time. */
const longestName = 64;

/** Hand-written definitions have fewer names. Further candidates are not compared. */
const mostCandidates = 1_000;

/** With more typos it is another name, even a long one. */
const mostSlips = 3;

/** Words that authors use for a known name, in lower case: `{ equals: 'value_given' }`. */
type Synonyms = Readonly<Record<string, string>>;

/** `Did you mean "farewell"?`, or nothing when no known name is near. */
export function didYouMean(
  name: string,
  known: Iterable<string>,
  synonyms?: Synonyms,
): string | undefined {
  const nearest = nearestName(name, known, synonyms);
  return nearest === undefined ? undefined : `Did you mean "${nearest}"?`;
}

/**
 * The name that a hint "Did you mean …?" suggests in place of the one in the text; undefined for another hint.
 *
 * @example
 * ```ts
 * console.log(suggestedName('Did you mean "farewell"?')); // → farewell
 * ```
 */
export function suggestedName(hint: string | undefined): string | undefined {
  return /^Did you mean "([^"]+)"\?$/m.exec(hint ?? '')?.[1];
}

/**
 * The known name that a given one is probably a misspelling of: at most one slip in four letters, and three altogether. A slip is
 * an extra, a missing or a wrong letter, or two that are swapped. Case, spaces, hyphens and underscores do not count. A name
 * whose end is left out counts too.
 *
 * @param synonyms other words for known names, which are looked up when no name is near
 * @returns the nearest name, of several the first; undefined when none is near
 */
export function nearestName(
  name: string,
  known: Iterable<string>,
  synonyms: Synonyms = {},
): string | undefined {
  if (name.length > longestName) return undefined;
  const wanted = letters(name);
  let best: string | undefined;
  let bestDistance = slipsIn(wanted) + 1;
  let whole: string | undefined;
  let compared = 0;
  for (const candidate of known) {
    compared += 1;
    if (compared > mostCandidates || comparisonsLeft <= 0) break;
    const other = letters(candidate);
    comparisonsLeft -= candidate.length;
    if (isMostOf(wanted, other)) whole ??= candidate;
    if (candidate === name || Math.abs(other.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, other, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (best !== undefined) return best;
  if (whole !== undefined) return whole;
  const meant = Object.entries(synonyms).find(([synonym]) => letters(synonym) === wanted);
  return meant?.[1];
}

/** The letters that are compared for one text. Some hundred misspelt names in a text of a thousand have suggestions. */
const mostComparisons = 3_000_000;
let comparisonsLeft = Infinity;

/** Bounds the letters that all searches for near names in `work` compare together. After them, no name is near. */
export function withBoundedComparisons<Result>(work: () => Result): Result {
  const before = comparisonsLeft;
  comparisonsLeft = Math.min(before, mostComparisons);
  try {
    return work();
  } finally {
    comparisonsLeft = before;
  }
}

/** How many slips a name of this length may have. */
function slipsIn(name: string): number {
  return Math.min(mostSlips, Math.floor((name.length + 1) / 4));
}

/** Whether a name is the beginning of another one, with less than a quarter left out. */
function isMostOf(name: string, whole: string): boolean {
  return name !== whole && whole.startsWith(name) && name.length * 4 > whole.length * 3;
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Edits (insert, delete, replace, swap neighbours) from one string to another, or `limit` when there are as many or more. */
export function editDistance(one: string, other: string, limit: number): number {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [from, to] = [one.slice(start), other.slice(start)];
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    comparisonsLeft -= to.length;
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + (same ? 0 : 1),
      );
      const swapped =
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, beforePrevious[column - 2]! + 1);
      current.push(cost);
    }
    if (Math.min(...current) >= limit) return limit;
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length]!;
}

/** A word of a text: its forms for comparison, and its position. */
export interface Word {
  /** In lower case, with a straight apostrophe. */
  readonly text: string;
  /** Without a plural ending. Words with the same singular count as the same name. */
  readonly singular: string;
  /** Without common endings. A shared stem is evidence, but not the same name (Bill is not billing). */
  readonly stem: string;
  readonly start: number;
  readonly end: number;
  /** The number of the clause that it is in. */
  readonly clause: number;
}

const clauseBreak = /[.,;:!?\n()]/u;

/** Spaces, underscores and hyphens separate words; camel case does not. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let clause = 0;
  let previousEnd = 0;
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)*/gu)) {
    const lower = match[0].toLowerCase().replaceAll('’', "'");
    if (clauseBreak.test(text.slice(previousEnd, match.index)) || lower === 'but') clause += 1;
    previousEnd = match.index + match[0].length;
    words.push({
      text: lower,
      singular: singularOf(lower),
      stem: stemOf(lower),
      start: match.index,
      end: previousEnd,
      clause,
    });
  }
  return words;
}

/** The words of an identifier: `issueType`, `issue_type` and `issue-type` give the same two words. */
export function wordsOfName(name: string): Word[] {
  return wordsOf(name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
}

function singularOf(word: string): string {
  const base = word.endsWith("'s") ? word.slice(0, -2) : word;
  if (base.length > 4 && base.endsWith('ies')) return `${base.slice(0, -3)}y`;
  if (base.length > 4 && /(?:ss|x|ch|sh)es$/u.test(base)) return base.slice(0, -2);
  return base.length > 3 && base.endsWith('s') && !base.endsWith('ss') ? base.slice(0, -1) : base;
}

/** Endings, and how many letters each must leave. */
const endings: readonly (readonly [ending: string, least: number])[] = [
  ['ation', 4],
  ['ment', 3],
  ['ing', 3],
  ['ly', 4],
  ['ed', 3],
  ['e', 3],
];

function stemOf(word: string): string {
  let stem = singularOf(word);
  for (const [ending, least] of endings) {
    if (!stem.endsWith(ending) || stem.length - ending.length < least) continue;
    stem = stem.slice(0, -ending.length);
    break;
  }
  const last = stem.at(-1);
  return stem.length > 3 && last === stem.at(-2) ? stem.slice(0, -1) : stem;
}
