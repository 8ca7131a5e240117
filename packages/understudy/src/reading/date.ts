import { wallTime } from '@dramaturg/compiler/text';
import * as de from 'chrono-node/de';
import * as en from 'chrono-node/en';
import * as es from 'chrono-node/es';
import * as fr from 'chrono-node/fr';
import * as it from 'chrono-node/it';
import * as pt from 'chrono-node/pt';
import { isSlipOf } from './words.ts';
import { numberWord, readNumbers } from './number.ts';
import { excerpt } from './phrases.ts';

/** What a day is counted from, and whether the question is about the past: then "Friday" is the last one. */
export interface Clock {
  readonly now?: number | undefined;
  readonly timeZone?: string | undefined;
  readonly isPast?: boolean;
}

/** Longer texts are not searched. */
const longestSearched = 1_000;

/** A day and a time that the library has read in a text. */
type Reading = ReturnType<typeof en.parse>[number];

const relative = 'result/relativeDate';
/** Of readings that are equally long, the one in the first language counts. */
const languages = [en, de, fr, es, it, pt];

/** Dates that the library does not read: seasons, holidays, days of a month. */
const otherDates =
  /(?<!\p{L})(?:(?:next|this|last|the coming) (?:spring|summer|autumn|fall|winter)|new year(?:['’]s)?(?: eve| day)?|christmas|easter|immediately|day after tomorrow|the \d{1,2}(?:st|nd|rd|th))(?!\p{L})/iu;

/** "Last Friday". Without such a word a day is the next one. */
const pastDay = /(?<!\p{L})(?:last|letzte[nr]) (?:\p{L}{3,6}day|\p{L}{3,7}tag|mittwoch)(?!\p{L})/iu;

/** "Morgen" is also a greeting, and the morning of a day. */
const noTomorrow = /(?<=(?:guten|heute|am)) morgen|(?<!de )la mañana/giu;
/** "A week later": what it is counted from is not said, or is another day. */
const countedFromDay =
  /(?<!\p{L})(?:day|night|week|month|tag|woche|monat|jour|semaine|d[ií]a|semana|giorn|settiman)\p{L}{0,3} (?:later|earlier|after|before|später|danach|nach|vor|plus tard|apr[eè]s|avant|despu[eé]s|antes|depois|dopo|prima)(?!\p{L}| (?:tomorrow|yesterday|next))|(?:week|weekend|month) after next/iu;
const dayAfterTomorrow =
  /(?:the )?day after tomorrow|(?:not )?tomorrow,? (?:but )?the day after(?: that)?|apr[eè]s[- ]demain|pasado ma[nñ]ana/giu;
/** "Half past ten", "half ten", "quarter to 5", "halb neun": the half of the German hour is before it. */
const partOfHour =
  /(?<!\p{L})(half(?: past)?|(?:a )?quarter past|(?:a )?quarter to|halb|viertel nach|viertel vor) (\d{1,2}|\p{L}{3,6})(?![:.\p{L}\d])/giu;
/** "Nine thirty", "20 past 4", "zehn vor acht". */
const spokenMinutes =
  /(?<!\p{L})(\p{L}{3,6}) (ten|fifteen|twenty|thirty|forty|fifty)([- ]five)?(?!\p{L})/giu;
// cspell:disable-next-line
const halfPast =
  /(?<![\p{L}\d])(\d{1,2}|\p{L}{2,8}) (?:heures? |h )?(?:e mezz[ao]|y media|e meia|et demie?)(?!\p{L})/giu;
const minutesAround =
  /(?<![\p{L}\d])(\d{1,2}|\p{L}{3,6}) (?:minutes? |minuten? )?(past|to|nach|vor) (\d{1,2}|\p{L}{3,6})(?![:.\p{L}\d])/giu;
/** "7ish", and a German day without its year: "24.12." */
const aboutHour = /(?<=\d)ish\b/giu;
/** "9h" is a time, but "in 9h" is a duration. */
const hourWithH = /(?<!(?:in|for|dans|en|em|tra|fra) |\d)([01]?\d|2[0-3])h(?![\p{L}\d])/giu;
const dayWithPoints = /(?<![\d.])(\d{1,2})\.(\d{1,2})\.(?!\d)/gu;
const hourAfter =
  /(?<!\p{L})(at|around|about|say|by|um|gegen) (\d{1,2}|\p{L}{1,6})(?![:.\p{L}\d])/giu;

const longWords =
  'tomorrow monday tuesday wednesday thursday friday saturday sunday january february august september october november december'.split(
    ' ',
  );
const ofMonth =
  /(?:(?:next |this )?\p{L}{2,6}day,? )?(?:on )?(?:the |(?<=day,? )|(?=\d+(?:st|nd|rd|th) of (?:last|this|next) month))(\d{1,2})(?:st|nd|rd|th)(?: of (last|this|next) month)?(?! (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))/iu;

/** "The 15th" is the next day with this number. */
function dayOfMonth(
  day: number,
  { now = 0, timeZone = 'UTC', isPast }: Clock,
  which?: string,
): string {
  const today = new Date(wallTime(now, timeZone));
  const nearest = isPast ? -Number(day > today.getUTCDate()) : Number(day < today.getUTCDate());
  const named: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };
  const months = today.getUTCMonth() + (named[which ?? ''] ?? nearest);
  return isoDay(Date.UTC(today.getUTCFullYear(), months, day));
}

function lastOfMonth(now: number, timeZone: string): number {
  const today = new Date(wallTime(now, timeZone));
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 0);
}

// cspell:disable
const endOfMonth =
  /(?<!\p{L})(?:(?:the )?end of (?:the|this) month|monatsende|ende (?:des|dieses) monats|(?:la )?fin du mois|(?:el )?fin(?:al)? de(?:l)? mes|fine (?:del )?mese|(?:o )?fi[mn]a?l? do mês)(?!\p{L})/giu;
const betweenTwo =
  /(?<!\p{L})(?:between|zwischen|entre(?: le| el)?|tra) (.{1,20}?) (?:and|und|et(?: le)?|y(?: el)?|e) (?=\d|\p{L})/giu;
// cspell:enable

/** Replaces words that the library does not know by words that it knows: "gegen neun" is "um 9". */
function inKnownWords(text: string, clock: Clock): string {
  const { now = 0, timeZone = 'UTC' } = clock;
  return text
    .replace(/\p{L}{6,10}/gu, (word) => {
      const lower = word.toLowerCase();
      if ([...months, ...longWords].some((each) => each.toLowerCase() === lower.replace(/s$/u, '')))
        return word;
      return longWords.find((each) => isSlipOf(lower, each)) ?? word;
    })
    .replace(ofMonth, (written, day: string, which?: string) =>
      now === 0 ? written : dayOfMonth(Number(day), clock, which?.toLowerCase()),
    )
    .replace(noTomorrow, '')
    .replace(/(?<!\p{L})this (?=morning|afternoon|evening)/giu, 'today ')
    .replace(weekdayOfWeek, '$3 $1$2')
    .replace(/(?:vergangene|vorige)(?=[nr] )/giu, 'letzte')
    .replace(spokenMinutes, (written, hour: string, ten: string, unit = '') => {
      const [full, minutes] = [hourOf(hour), readNumbers(`${ten}${unit}`)[0]?.value ?? 60];
      return full === undefined || full > 24 || minutes > 59 ? written : `${full}:${minutes}`;
    })
    .replace(halfPast, (written, hour: string) => {
      const full = hourOf(hour);
      return full === undefined || full > 24 ? written : `${full}:30`;
    })
    .replace(minutesAround, (written, minutes: string, way: string, hour: string) => {
      const [full, said] = [hourOf(hour), hourOf(minutes)];
      if (full === undefined || said === undefined || said > 30) return written;
      // "3 to 5" is a range.
      if (way === 'to' && /^\d+ to/u.test(written) && said <= 12) return written;
      const isBefore = /^(?:to|vor)$/iu.test(way);
      return `${isBefore ? full - 1 : full}:${String(isBefore ? 60 - said : said).padStart(2, '0')}`;
    })
    .replace(partOfHour, (written, part: string, hour: string) => {
      const full = hourOf(hour);
      if (full === undefined) return written;
      const before = /to$|vor$|^halb$/iu.test(part);
      const minutes = /^half|^halb/iu.test(part) ? 30 : before ? 45 : 15;
      return `${before ? full - 1 : full}:${minutes}`;
    })
    .replace(endOfMonth, () => isoDay(lastOfMonth(now, timeZone)))
    .replace(betweenTwo, '$1 - ')
    .replace(/(?<!\p{L})(?:an? |one )?fortnight/giu, '2 weeks')
    .replace(dayAfterTomorrow, 'in 2 days')
    .replace(
      /(?<![\p{L}\d])['’](\d{2})(?!\d)/u,
      (_, year: string) => `${Number(year) > 40 ? 19 : 20}${year}`,
    )
    .replace(/christmas eve/iu, '24 December')
    .replace(/christmas(?: day)?(?! \p{L})/iu, '25 December')
    .replace(/new year['’]?s eve/iu, '31 December')
    .replace(aboutHour, '')
    .replace(
      /(afternoon|evening|tonight)(,? (?:at |around |about |say |by |maybe )+)(\d{1,2}(?::\d\d)?)(?! ?[ap]\.?m|[\d:])/iu,
      '$1$2$3 pm',
    )
    .replace(
      /(?<=morning|afternoon|evening),? (?:like |about )?(?=\d{1,2}(?![\d:.]|\p{L}))/giu,
      ' at ',
    )
    .replace(/(?<![:\d])(\d{1,2}(?::\d\d)?) in the (?=morning)/giu, '$1 am ')
    .replace(/(?<![:\d])(\d{1,2}(?::\d\d)?) in the (?=afternoon|evening)/giu, '$1 pm ')
    .replace(hourWithH, '$1:00')
    .replace(dayWithPoints, (_, day: string, month: string) => `${day}. ${months[Number(month)]}`)
    .replace(hourAfter, (written, word: string, hour: string) => {
      const digits = hourOf(hour);
      if (digits === undefined) return written;
      return `${/^(?:um|gegen)$/iu.test(word) ? 'um' : 'at'} ${digits}`;
    });
}

const weekdayOfWeek =
  /(?<!\p{L})((?:next|this) week),?( on)? ((?:mon|tues?|wednes|thurs?|fri|satur|sun)day)(?!\p{L})/giu;

const months =
  '- Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');

function hourOf(text: string): number | undefined {
  return /^\d/.test(text) ? Number(text) : numberWord(text);
}

/**
 * The first date or time that a text names, in the language that reads most of it.
 *
 * @param wanted tells which readings are preferred
 */
function readIn(
  text: string,
  wanted: (reading: Reading) => boolean,
  clock: Clock = {},
): Reading | undefined {
  const { now = 0, timeZone = 'UTC' } = clock;
  const today = { instant: new Date(now), timezone: (wallTime(now, timeZone) - now) / 60_000 };
  const searched = inKnownWords(excerpt(text).slice(0, longestSearched), clock);
  if (countedFromDay.test(searched)) return undefined;
  const forwardDate = !pastDay.test(searched);
  let best: { found: Reading; rank: number } | undefined;
  for (const language of languages) {
    const all = language.parse(searched, today, { forwardDate });
    // In other languages, short words such as "so" are days, "out" is a month, and so are parts of words.
    const clear = all.filter(
      (each) =>
        !/(?:mon|tues|wednes|thurs|fri|satur|sun)days/iu.test(
          searched.slice(each.index, each.index + each.text.length + 1),
        ) &&
        !excepted.test(searched.slice(0, each.index)) &&
        !/^the (?!\d|\p{L}*(?:day|week|month|year|st|nd|rd|th)(?!\p{L}|$))/iu.test(each.text) &&
        !(/^an? \p{L}+$/iu.test(each.text) && /\d/u.test(searched.slice(0, each.index))) &&
        (language === en || (language === de ? isClear.test(each.text) : isPlain(each, searched))),
    );
    const found = clear.find(wanted) ?? clear[0];
    if (!found) continue;
    // With points the day comes first.
    const isDayFirst = language !== en && withPoints.test(found.text);
    const rank = Number(wanted(found)) * 1e6 + Number(isDayFirst) * 1e4 + found.text.length;
    if (rank > (best?.rank ?? 0)) best = { found, rank };
    // A language that has read every word is not surpassed by a later one.
    const isWhole = !/[\p{L}\d]/u.test(searched.replace(found.text, ''));
    if (isWhole && wanted(found) && (isDayFirst || !withPoints.test(searched))) break;
  }
  return best?.found;
}

/** "Any day except Sunday", "once a month". */
const excepted =
  /(?<!\p{L}|why )(?:not|once|twice|times|every|except|other than|außer|nicht|kein\p{L}*|sauf|salvo|menos|tranne|exceto)(?: on| am)? $/iu;
const withPoints = /\d\.\d/u;

function isPlain({ index, text }: Reading, searched: string): boolean {
  const around = `${searched[index - 1] ?? ''} ${searched[index + text.length] ?? ''}`;
  return !/\p{L}/u.test(around) && /\p{L}{4}|\d[:h]\d|\bmai\b|\blas \d/iu.test(text);
}

const isClear = /^(?!\d{4}-|so )(?:.*\d|.*\p{L}{4})/u;

function namesDay({ start, text }: Reading): boolean {
  // "10 min later" is not a day.
  const isShort = /\d ?(?:min|h(?:ou)?r|sec)/iu.test(text);
  const parts = ['day', 'weekday', 'month', 'year'] as const;
  return !isShort && parts.some((part) => start.isCertain(part));
}

function namesHour({ start }: Reading): boolean {
  return start.isCertain('hour');
}

/** The first date in a text, unchanged, with its time of day. */
export function readDate(text: string): string | undefined {
  const searched = excerpt(text).slice(0, longestSearched);
  const found = readIn(searched, namesDay);
  return found && namesDay(found) && searched.includes(found.text)
    ? found.text.replace(/^(?:on|since) /iu, '')
    : otherDates.exec(searched)?.[0];
}

/** The date in a text in ISO form (2026-03-15); undefined when day, month or year is missing. */
export function readExactDate(text: string): string | undefined {
  const found = readIn(text, namesDay);
  if (!found || !/(?<!\d)\d{4}(?!\d)/u.test(found.text)) return undefined;
  return found.start.isCertain('day') && !isAmbiguous(found.text) ? dayOf(found) : undefined;
}

/** With slashes the order of day and month depends on the country: 3/4/2027, but not 15/3/2027 or 4/4/2027. */
function isAmbiguous(text: string): boolean {
  const [, first, second] = (/^(\d{1,2})\/(\d{1,2})\/\d/u.exec(text) ?? []).map(Number);
  return first !== undefined && first !== second && Math.max(first, second!) <= 12;
}

function dayOf({ start }: Pick<Reading, 'start'>): string {
  const [year, month, day] = (['year', 'month', 'day'] as const).map((part) => start.get(part)!);
  return isoDay(Date.UTC(year!, month! - 1, day));
}

function isoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** A time of day in ISO form (17:30). Reads "5:30 pm" and "half past five", but not the 5 of "at 5". */
export function readTime(text: string): string | undefined {
  const found = readIn(
    text
      .replaceAll(/(?<![\d.])(\d{1,2})\.(\d{2})(?![\d.])/gu, '$1:$2')
      .replace(/^\D{0,20}([01]\d|2[0-3])([0-5]\d)\D{0,20}$/u, '$1:$2'),
    namesHour,
  );
  const isWhole =
    found?.start.isCertain('meridiem') ||
    /\d[:h]\d|clock|noon|mid/iu.test(found && namesHour(found) ? found.text : '');
  return found && isWhole ? timeOf(found) : undefined;
}

function timeOf({ start }: Pick<Reading, 'start'>): string {
  return [start.get('hour'), start.get('minute')]
    .map((part) => String(part ?? 0).padStart(2, '0'))
    .join(':');
}

/** The day that a text names, as 2026-03-15. */
function readDay(text: string, clock: Clock): string | undefined {
  const beside = /(?<!\p{L})day (before|after) (?=\p{L}{3})(?!tomorrow|yesterday|that)(.+)/iu.exec(
    text,
  );
  const day = beside && readDay(beside[2]!, clock);
  if (day) return isoDay(Date.parse(day) + (beside[1] === 'after' ? 864e5 : -864e5));
  const found = readIn(text, namesDay, clock);
  if (!found || !namesDay(found)) return undefined;
  const { start } = found;
  const isPast = clock.isPast || /(?<!\p{L})(?:since|seit|depuis) /iu.test(text);
  if (start.isCertain('weekday') || start.isCertain('day'))
    return isAmbiguous(found.text) ? undefined : dayMeant(found, { ...clock, isPast });
  // "Next month" is not a day.
  return found.tags().has(relative) &&
    start.isCertain('month') &&
    /^(?!\p{L}+ \p{L}+$)/u.test(found.text)
    ? monthsLater(found, clock)
    : undefined;
}

/** The day of a reading. A past one without a year is in the week or the year before today. */
function dayMeant(found: Reading, { now = 0, timeZone = 'UTC', isPast }: Clock): string {
  const day = dayOf(found);
  const { start } = found;
  const isGiven = start.isCertain('year') || found.tags().has(relative);
  if (!isPast || isGiven || Date.parse(day) <= wallTime(now, timeZone)) return day;
  const isWeekday = start.isCertain('weekday') && !start.isCertain('day');
  const [year, month, date] = day.split('-').map(Number);
  return isoDay(Date.UTC(year! - Number(!isWeekday), month! - 1, date! - 7 * Number(isWeekday)));
}

/** The same day of a later month, or its last day, where the library would continue into the next month. */
function monthsLater(found: Reading, { now = 0, timeZone = 'UTC' }: Clock): string {
  const day = dayOf(found);
  const today = new Date(wallTime(now, timeZone)).getUTCDate();
  if (Number(day.slice(8)) === today) return day;
  return isoDay(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, 0));
}

/** The day and the time that a text names, as 2026-03-15T09:00, in the zone; undefined without a time. */
function readMoment(text: string, clock: Clock): string | undefined {
  const written = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?/iu.exec(text);
  if (written) return written[0].toUpperCase();
  const day = readDay(text, clock);
  const found = readIn(text, namesHour, clock);
  if (!day || !found || !namesHour(found)) return undefined;
  // "At 3" may be at night or in the afternoon.
  const isVague = /^0[1-6]:00/u.test(timeOf(found)) && !found.start.isCertain('meridiem');
  return isVague && !/\d[:h]|uhr/iu.test(found.text) ? undefined : `${day}T${timeOf(found)}`;
}

// cspell:disable-next-line
const rangeWord =
  /\d\.? ?[-–—]|[-–—] ?\d|(?<!\p{L})(?:to|till|until|through|bis|au|à|al?|hasta|até|between|zwischen|entre|tra)(?!\p{L})/iu;

/** Both ends of a range of days or times: "20-23 Dec", "between 2 and 5:30 pm". */
export function readBetween(
  text: string,
  format: unknown,
  clock: Clock,
): readonly [string, string] | undefined {
  if (clock.now === undefined || (format !== 'date' && format !== 'time')) return undefined;
  if (!rangeWord.test(text)) return undefined;
  const isWanted = format === 'date' ? namesDay : namesHour;
  const found = readIn(text, (each) => each.end !== null && isWanted(each), clock);
  if (!found?.end || !isWanted(found)) return undefined;
  const read = format === 'date' ? dayOf : timeOf;
  return [read(found), read({ start: found.end })];
}

/** The exact value of the day or the moment that a message names, for a field of that format. */
export function readDated(message: string, format: unknown, clock: Clock): string | undefined {
  if (clock.now === undefined || (format !== 'date' && format !== 'date-time')) return undefined;
  return format === 'date' ? readDay(message, clock) : readMoment(message, clock);
}
