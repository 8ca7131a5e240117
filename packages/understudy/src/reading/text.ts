import { small } from './number.ts';
import { readDate, readExactDate, readTime } from './date.ts';
import {
  answeringPart,
  excerpt,
  isGreeting,
  phraseOf,
  readYesNo,
  withoutGreeting,
} from './phrases.ts';
import { isNoName, readName } from './name.ts';

/** The kinds of text that are read differently. An exact date or time has the form of JSON Schema's formats. */
export type TextKind =
  | 'any'
  | 'name'
  | 'place'
  | 'email'
  | 'phone'
  | 'url'
  | 'date'
  | 'exact-date'
  | 'exact-time'
  | 'identifier';

/** The kind of free-text answer that a question asks for. */
export interface TextRequest {
  readonly kind: TextKind;
  /** Whether it asks for a request or a question, so that a question is an answer and not a question back. */
  readonly question: boolean;
  /** Whether it asks for a title, which may be in quotes in a sentence. */
  readonly titled: boolean;
}

/** Longer answers are cut, because stored values are bounded. */
const longestText = 10_000;

/**
 * Reads the message as an answer in free text: without greeting, lead-in and full stop, but with no other change.
 *
 * @returns undefined when the text is not of the requested kind
 */
export function readText(
  message: string,
  { kind, question, titled }: TextRequest,
): string | undefined {
  const written = answeringPart(wellFormed(message.slice(0, longestText)), question).trim();
  const answering = kind === 'name' || kind === 'place' ? withoutDecoration(written) : written;
  if (answering === '' || isGreeting(answering)) return undefined;
  if (kind === 'name') return readPersonName(answering);
  if (kind === 'place' && isNoPlace(answering)) return undefined;
  if (kind !== 'any' && kind !== 'place') return readers[kind](answering);
  const isPlace = kind === 'place';
  const quoted = /^[^"“„«]*["“„«]([^"“”„«»]{1,200})["”“»][^"“„«]*$/u.exec(answering)?.[1];
  if (quoted !== undefined && titled) return quoted;
  const courtesy = isPlace
    ? /,? (?:please|pls|plz|thanks|this time|instead|now|though)\W*$/iu
    : /, (?:please|thanks)\W*$/iu;
  const bare = answering.replace(courtesy, '');
  const text = withoutFullStop(withoutLeadIn(withoutGreeting(bare), isPlace));
  return text === '' || (text.length < 40 && saysNothing.test(text)) ? undefined : text;
}

/** Sounds and courtesies do not answer any question. */
const saysNothing =
  /^\W*(?:ok|okay|okey|thanks|thank you|thx|hm+|um+|uh+|er+|oh|ah|well|so|please|lol|help)?\W*$/iu;

/** Readers of the kinds that have a recognisable form. */
const readers: Readonly<
  Record<Exclude<TextKind, 'any' | 'name' | 'place'>, (text: string) => string | undefined>
> = {
  email: readEmail,
  phone: readPhone,
  url: readUrl,
  date: readDate,
  'exact-date': readExactDate,
  'exact-time': readTime,
  identifier: readIdentifier,
};

/** The first identifier. A number of one or two digits is rather a count, if there is a longer one. */
function readIdentifier(text: string): string | undefined {
  // A part of an identifier is none.
  if (/\b(?:starts|begins|ends) (?:with|in)\b/iu.test(text)) return undefined;
  const found = readIdentifiers(text).map((each) => each.text);
  return found.find((each) => each.length > 2) ?? found[0];
}

/** Removes smileys at the end, and quotes around the whole text. */
function withoutDecoration(text: string): string {
  return text
    .replace(
      /(?<![\s\p{Extended_Pictographic}])(?:\s|[:;]-?[()DP]|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{FE0F}|\u{200D})+$/u,
      '',
    )
    .replace(
      /(?<=\p{L}{2})[.,;:]?\s+(?:(?:spelled|spelt|that['’]s) )?(?:\p{L}[- ]){2,20}\p{L}(?![\p{L}\d])\W*/gu,
      '',
    )
    .replace(/^["“”„«'‘](.+)["“”»'’]$/u, '$1');
}

function readPersonName(answering: string): string | undefined {
  // A single word needs no search for a name in it.
  if (!/\s/u.test(answering) && isNoName(answering.replace(/[.!,]{1,9}$/u, ''))) return undefined;
  const name = readName(withoutGreeting(answering));
  if (name !== undefined) return name;
  const bare = withoutFullStop(withoutLeadIn(withoutGreeting(answering), false)).replace(
    /[\s,]+(?:here|speaking|calling|btw|officially|though|instead|is my name|(?:from|at)\s.{1,60})$/iu,
    '',
  );
  return isNoName(bare) ? undefined : bare;
}

/** Whether the text cannot be a place: it has no letters, or is only a word such as yes or no. */
function isNoPlace(text: string): boolean {
  const phrase = phraseOf(text.slice(0, 200));
  return (
    !/\p{L}/u.test(text) ||
    (/\p{L} or \p{L}/iu.test(text) && !/\d/u.test(text)) ||
    /^(?:none|what|maybe|help|(?:any|some)where|wherever|whatever|irgendwo|n['’]importe où|da qualche parte)\b/u.test(
      phrase,
    ) ||
    (!/\s/u.test(phrase) && readYesNo(phrase) !== undefined)
  );
}

const it =
  /^(?:.{0,60}[,.;] )?(?:(?:it|that|(?:my|the) (?:new |current |correct )?(?:one|address|place|city))(?:['’]?s| is| would be))\s+(?=\S)/iu;
const place =
  /^(?:from|to|at|nach|von|aus|à|de|da|em|para)\s+(?=\p{L}|\d)|^(?:i|we)(?:['’](?:ve|d|re|m)| have| would)? (?:always |really )?(?:want(?:ed)?|like|love|going|plan(?:ning)?|hop(?:e|ing)|fly(?:ing)?) (?:to )?(?:(?:go|fly|travel|get|drive) to|see|visit|to)\s+(?=\S)|^(?:(?:please|can you|could you) )*(?:bring|send|deliver|ship|take|drop|leave|pick|collect)(?: (?:it|them|me|us|everything))?(?: (?:up|off))? (?:to|at|from|in)\s+(?=\S)|^(?:i['’]?m|i am|i come|i live|i['’]?m living|i am living|living|we live|we['’]?re)\s+(?:originally |currently |based )?(?:from|in|at)\s+(?=\S)/iu;

const placeNamed =
  /(?:\b(?:i['’]?m|i am|i come|i live|we live|i['’]m living|we['’]re|i['’]m based|living|based) (?:originally |currently |based )?(?:from|in)|[,.;] from|(?:i['’]?m|i am|this is) \p{Lu}[\p{L}'’-]{1,40} from|^\p{L}[\p{L}'’-]{1,40} from) (\p{Lu}[\p{L}'’-]{1,40}(?: \p{Lu}[\p{L}'’-]{1,40}){0,3})/u;

/** A city in an answer about something else: "domani a Bologna", "Friday in Leeds". */
export function readPlaceIn(text: string): string | undefined {
  const [, city = ''] =
    /(?<!\p{L})(?:in|near|nach|a|à|en|em) (\p{Lu}[\p{L}'’-]{2,40}(?: \p{Lu}[\p{L}'’-]{1,40}){0,2})[.!]?$/u.exec(
      text.trim(),
    ) ?? [];
  return city === '' || readDate(city) !== undefined ? undefined : city;
}

/** The place that a person names as their own: "I live in New York". */
export function readPlaceNamed(text: string): string | undefined {
  return placeNamed.exec(text.slice(0, 1_000).replaceAll(/\bI(?=['’ ])/gu, 'i'))?.[1];
}

/** The largest number of words of a short answer. With more words, "it's ..." is a sentence and not a lead-in. */
const shortAnswer = 4;

function withoutLeadIn(text: string, isPlace: boolean): string {
  if (isPlace && place.test(text)) return text.replace(place, '');
  const rest = text.replace(it, '');
  if (isPlace)
    return text
      .replace(/^(?:sure|ok|okay|yes|yeah)[,.!]*\s+(?=\S)/iu, '')
      .replace(it, '')
      .replace(/^in\s+(?=\S)/iu, '');
  return rest.split(/\s+/u, shortAnswer + 1).length <= shortAnswer ? rest : text;
}

const abbreviation = /(?:\b(?:dr|mr|mrs|ms|st|jr|sr|prof|inc|ltd|co|etc)|\.\p{L}|\b\p{L})\.$/iu;

/** Removes a full stop, comma or exclamation mark at the end. The dots of "Jr.", "p.m." and "..." stay. */
function withoutFullStop(text: string): string {
  const trimmed = text.trim();
  if (abbreviation.test(trimmed.slice(-8)) || trimmed.endsWith('..')) return trimmed;
  let end = trimmed.length;
  while (end > 0 && /[.,;!\s]/u.test(trimmed[end - 1] ?? '')) end -= 1;
  return end === 0 ? trimmed : trimmed.slice(0, end);
}

/** Drops half of a surrogate pair at the end of a cut text. */
function wellFormed(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text.slice(-1)) ? text.slice(0, -1) : text;
}

/** The email address in a text, also in spoken form: "maria at example dot com". */
export function readEmail(said: string): string | undefined {
  const text = said
    .replaceAll(/ (?:punkt|point|punto|ponto) /giu, ' dot ')
    .replaceAll(/(?<=[\p{L}\p{N}]) ?@ ?(?=[\p{L}\p{N}])/gu, '@')
    .replaceAll(/ (?:ät|arobase|arroba|chiocciola) /giu, ' at ')
    .replaceAll(/ (?:underscore|unterstrich) /giu, '_')
    .replaceAll(/ (?:dash|hyphen|bindestrich|tiret|gui[oó]n|trattino|hífen) /giu, '-')
    .replaceAll(/ ?[([]at[)\]] ?/giu, '@')
    .replaceAll(/ ?[([]dot[)\]] ?/giu, '.');
  const written = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/u.exec(
    excerpt(text),
  )?.[0];
  if (written !== undefined) return written;
  const spoken =
    /\b([\p{L}\p{N}_-]{1,40}(?: dot [\p{L}\p{N}_-]{1,40}){0,3}) at ([\p{L}\p{N}-]{1,40}(?: dot [\p{L}\p{N}]{2,20}){1,3})\b/iu.exec(
      text.slice(0, 300),
    );
  return spoken === null
    ? undefined
    : `${spoken[1]}@${spoken[2]}`.replaceAll(/ dot /giu, '.').toLowerCase();
}

/** The telephone number in a text, unchanged. Shorter numbers are something else. */
export function readPhone(text: string): string | undefined {
  for (const [found] of withSpokenDigits(excerpt(text)).matchAll(
    /(?:\+|\(\+?)?\d[\d ()./-]{4,24}\d/gu,
  )) {
    const digits = found.replace(/\D/gu, '').length;
    const isDate = /^\d{4}-\d{2}-\d{2}$|^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/u.test(found);
    if (digits >= 6 && digits <= 15 && !isDate) return found.trim();
  }
  return undefined;
}

/** The address of a page in a text. */
export function readUrl(text: string): string | undefined {
  const searched = excerpt(text);
  const found =
    /\bhttps?:\/\/\S{1,2000}/iu.exec(searched)?.[0] ??
    /(?<![@\p{L}\p{N}.-])(?:[\p{L}\p{N}-]{1,63}\.){1,5}\p{L}{2,20}(?:\/\S{0,500})?(?![@\p{L}\p{N}])/iu.exec(
      searched,
    )?.[0];
  return found?.replace(/[.,;:!?)]{1,9}$/u, '');
}

/** A piece of an identifier: 4711-B, AB, 12/34. */
const piece = /[\p{L}\p{N}]{1,40}(?:[-/.#_][\p{L}\p{N}]{1,40}){0,8}/gu;

export interface Identifier {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** All identifiers in a text, such as account and order numbers. An identifier has a digit, and may be written in groups: "AB 12 34". */
export function readIdentifiers(text: string): Identifier[] {
  const searched = excerpt(text);
  const found: Identifier[] = [];
  let run: { start: number; end: number } | undefined;
  const close = () => {
    if (run === undefined) return;
    const whole = searched.slice(run.start, run.end);
    if (/\d/u.test(whole)) found.push({ text: whole, ...run });
    run = undefined;
  };
  for (const { 0: word, index } of searched.matchAll(piece)) {
    const belongs =
      /\d/u.test(word) ||
      (index === 0 && /^\p{L}{2}(?= \d{4})/u.test(searched)) ||
      /^\p{Lu}{1,4}(?:-\p{Lu}{1,4})?$/u.test(word);
    if (!belongs || /^(?:I|A|NO|OK|ID)$/u.test(word)) close();
    else if (run !== undefined && searched.slice(run.end, index) === ' ')
      run.end = index + word.length;
    else {
      close();
      run = { start: index, end: index + word.length };
    }
  }
  close();
  const spoken = withSpokenDigits(searched);
  return found.length > 0 || spoken === searched ? found : readIdentifiers(spoken);
}

/** Digits that are said one by one: "four seven one one" is 4711, and "oh seven double four" is 0744. */
function withSpokenDigits(text: string): string {
  return text.replaceAll(digitsSaid, (said) => {
    const words = said.toLowerCase().split(/[ ,-]+/u);
    const digits = words.map((word, index) => {
      if (/^(?:double|triple)$/u.test(word)) return '';
      const digit =
        word === 'hundred' ? '00' : String(small.get(word) ?? (/^\d+$/u.test(word) ? word : 0));
      return digit.repeat({ double: 2, triple: 3 }[words[index - 1] ?? ''] ?? 1);
    });
    return digits.join('');
  });
}

const digit =
  '(?:oh|o|zero|one|two|three|four|five|six|seven|eight|nine|double|triple|hundred|\\d)';
const digitsSaid = new RegExp(`\\b(?:${digit}[ ,-]{1,2}){2,30}${digit}\\b`, 'giu');
