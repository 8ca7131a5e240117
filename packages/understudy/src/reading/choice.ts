import { listed } from './words.ts';
import { type Word, wordsOf, wordsOfName } from '@dramaturg/compiler/text';
import { numberWord } from './number.ts';
import { isNegated, isStopWord } from './phrases.ts';

/** An option with the names that a text may use for it. */
export interface NamedOption {
  readonly words: readonly Word[];
}

export function namedOption(name: string): NamedOption {
  return { words: wordsOfName(name) };
}

interface Naming {
  readonly option: number;
  readonly start: number;
  readonly end: number;
  readonly negated: boolean;
}

/** The options that the text names in full, ignoring plurals: affirmed ones and excluded ones. */
export function namedOptions(
  options: readonly NamedOption[],
  text: readonly Word[],
): { affirmed: number[]; negated: number[] } {
  const all = options
    .flatMap((option, index) => namingsOf(option, index, text))
    .slice(0, mostNamings);
  // Inside "billing question", the option "billing" is not named.
  const namings = all.filter(
    (inner) =>
      !all.some(
        (outer) =>
          outer.start <= inner.start &&
          inner.end <= outer.end &&
          outer.end - outer.start > inner.end - inner.start,
      ),
  );
  const affirmed = new Set(namings.filter(({ negated }) => !negated).map(({ option }) => option));
  const negated = new Set(
    namings.map(({ option }) => option).filter((option) => !affirmed.has(option)),
  );
  return { affirmed: [...affirmed], negated: [...negated] };
}

const butThese =
  /^\W{0,9}(?:all|any(?:thing|where|time|one)|everything|(?:every|any) \p{L}+)\b.{0,20}\b(?:but|except|without)\b/iu;
const theRest =
  /\b(?:rest|others?)(?: is| are|['’]s) (?:fine|ok|okay|good)\b|\ball (?:the )?others?\b/iu;

/** The options that are left in "all but ham" and "no ham, the rest is fine"; undefined if the text is not of that kind. */
export function optionsLeft(options: readonly NamedOption[], text: string): number[] | undefined {
  const { affirmed, negated } = namedOptions(options, wordsOf(text));
  const out = butThese.test(text) ? [...affirmed, ...negated] : theRest.test(text) ? negated : [];
  return out.length > 0 ? [...options.keys()].filter((index) => !out.includes(index)) : undefined;
}

/** Bounds for the comparison of all namings with each other. */
const namingsPerOption = 20;
const mostNamings = 500;

function namingsOf({ words }: NamedOption, option: number, text: readonly Word[]): Naming[] {
  const namings: Naming[] = [];
  if (words.length === 0) return namings;
  for (
    let start = 0;
    start + words.length <= text.length && namings.length < namingsPerOption;
    start += 1
  ) {
    if (words.some((word, offset) => word.singular !== text[start + offset]?.singular)) continue;
    namings.push({ option, start, end: start + words.length, negated: isNegated(text, start) });
  }
  return namings;
}

/** Generic nouns count half: they distinguish options only when no better word does. */
const generic = listed('question request issue problem help type kind thing matter inquiry');

export interface Evidence {
  readonly score: number;
  /** The words of the text that are evidence for the option, as written there. */
  readonly words: readonly string[];
}

/**
 * How much evidence a text gives for each list of words: the words they share in the given spelling. Words that all lists
 * have, and words set aside, do not count; a negated word counts against.
 */
export function evidenceFor(
  lists: readonly (readonly Word[])[],
  text: readonly Word[],
  spelling: 'singular' | 'stem',
  aside: ReadonlySet<string> = new Set(),
): Evidence[] {
  const said = new Map<string, { word: string; weight: number }>();
  for (const [index, word] of text.entries()) {
    if (isStopWord(word)) continue;
    const weight = (generic.has(word.singular) ? 0.5 : 1) * (isNegated(text, index) ? -1 : 1);
    said.set(word[spelling], { word: word.text, weight });
  }
  const keys = lists.map(
    (words) => new Set(words.filter((word) => !isStopWord(word)).map((word) => word[spelling])),
  );
  return keys.map((own) => {
    const shared = [...own].flatMap((key) => {
      const everywhere = keys.length > 1 && keys.every((other) => other.has(key));
      return everywhere || aside.has(key) ? [] : (said.get(key) ?? []);
    });
    return {
      score: shared.reduce((sum, { weight }) => sum + weight, 0),
      words: shared.filter(({ weight }) => weight > 0).map(({ word }) => word),
    };
  });
}

/** The index of the greatest positive score, if exactly one score has it. */
export function uniqueBest(scores: readonly number[]): number | undefined {
  const holders = positiveBest(scores);
  return holders.length === 1 ? holders[0] : undefined;
}

/** The indexes of the greatest positive score. */
export function positiveBest(scores: readonly number[]): number[] {
  const best = scores.reduce((greatest, score) => Math.max(greatest, score), 0);
  return scores.flatMap((score, index) => (best > 0 && score === best ? [index] : []));
}

/** The option whose name equals the text, ignoring case, or word for word. */
export function exactOption(names: readonly string[], text: string): number | undefined {
  const said = text.trim().toLowerCase();
  const letterForLetter = names.findIndex((name) => name.trim().toLowerCase() === said);
  if (letterForLetter >= 0) return letterForLetter;
  const saidWords = plain(wordsOf(text.slice(0, 200)));
  const same = names.flatMap((name, index) =>
    saidWords !== '' && plain(wordsOfName(name)) === saidWords ? [index] : [],
  );
  return same.length === 1 ? same[0] : undefined;
}

function plain(words: readonly Word[]): string {
  return words.map(({ singular }) => singular).join(' ');
}

const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');

/** 4 for "4th" and "fourth"; 0 for another word. */
export function ordinalOf(word: string): number {
  return Number(/^\d{1,3}(?=(?:st|nd|rd|th)$)/u.exec(word)?.[0] ?? ordinals.indexOf(word) + 1);
}

const courtesy =
  /,? (?:please|pls|plz|thanks|thank you|thx|bitte|por favor|per favore|svp|s['’]il vous pla[iî]t)$/u;

const leadIn =
  /^(?:(?:i['’]d like|i would like|i['’]ll take|i will take|i take|i want|i choose|i pick|i go for|let['’]s take|give me|it['’]s|it is) )/u;

/** "2", "option 2", "#2", "number two", "b)", "the second one, please", "last": an index below `count`, when the text is only that. */
export function readPosition(text: string, count: number): number | undefined {
  if (text.length > 60) return undefined;
  const said = text
    .trim()
    .toLowerCase()
    .replace(/[\s.!),]+$/u, '')
    .replace(courtesy, '')
    .replace(leadIn, '');
  const bare = said
    .replace(/^(?:(?:the|option|number|choice|answer|no\.|nr\.|#) ?)*/u, '')
    .replace(/ (?:one|option|choice|of them|of these|of those)$/u, '');
  const index = indexOf(bare, count, bare !== said);
  return index >= 0 && index < count ? index : undefined;
}

/** @param isCounted whether words such as "number" or "the" show that a place in the list is meant */
function indexOf(said: string, count: number, isCounted: boolean): number {
  if (said === 'last' || (said === 'latter' && count === 2)) return count - 1;
  if (said === 'former' && count === 2) return 0;
  const digits = /^(\d{1,3})(?:st|nd|rd|th)?$/u.exec(said)?.[1];
  if (digits !== undefined) return Number(digits) - 1;
  if (/^[a-z]$/u.test(said)) return said.charCodeAt(0) - 'a'.charCodeAt(0);
  const ordinal = ordinals.indexOf(said);
  return ordinal < 0 && isCounted ? (numberWord(said) ?? 0) - 1 : ordinal;
}

const locales = ['en', 'de', 'fr', 'es', 'it', 'pt'];
const currencies = locales.map(
  (locale) => new Intl.DisplayNames(locale, { type: 'currency', fallback: 'none' }),
);
/** Weekdays and languages in each language. */
const namesIn = locales.map((locale) => [
  ...Array.from({ length: 7 }, (_, day) =>
    new Date(day * 864e5).toLocaleDateString(locale, { weekday: 'long', timeZone: 'UTC' }),
  ),
  ...locales.map((code) => new Intl.DisplayNames(locale, { type: 'language' }).of(code) ?? ''),
]);

/** "US dollar", and only "dollar". */
function plainNames(name: string): string[] {
  return name === '' ? [] : [name, name.split(' ').at(-1) ?? ''];
}

/** Replaces what options are called in other languages, and names of currencies, by the options: "Montag", "Swiss francs". */
export function inWordsOf(options: readonly string[], text: string): string {
  return options.reduce((all, option) => {
    const at = namesIn[0]!.findIndex((name) => name.toLowerCase() === option.toLowerCase());
    const names = /^[A-Z]{3}$/u.test(option)
      ? currencies.flatMap((each) => plainNames(each.of(option) ?? ''))
      : namesIn.flatMap((each) => each[at] ?? []);
    if (names.length === 0) return all;
    const either = names
      .join('|')
      .replace(/[^\p{L}| ]/gu, '.')
      .replace('.feira', '(?:.feira)?');
    return all.replace(new RegExp(`(?<!\\p{L})(?:${either})s?(?!\\p{L})`, 'giu'), option);
  }, text);
}
