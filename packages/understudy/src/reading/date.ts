import { wallTime } from '@dramaturg/compiler/text';
import * as de from 'chrono-node/de';
import * as en from 'chrono-node/en';
import { excerpt } from './phrases.ts';

/** Longer texts are not searched. */
const longestSearched = 1_000;

/** A day and a time that the library has read in a text. */
type Reading = ReturnType<typeof en.parse>[number];

const relative = 'result/relativeDate';

/** Dates that the library does not read: seasons, holidays, days of a month. */
const otherDates =
  /(?<!\p{L})(?:(?:next|this|last|the coming) (?:spring|summer|autumn|fall|winter)|new year(?:['’]s)?(?: eve| day)?|christmas|easter|immediately|the \d{1,2}(?:st|nd|rd|th))(?!\p{L})/iu;

/** "Morgen" is also a greeting, and the morning of a day. */
const noTomorrow = /(?<=(?:guten|heute|am)) morgen/giu;
const hourAfter = /(?<!\p{L})(at|um|by|gegen) (\d{1,2}|\p{L}{1,6})(?![:.\p{L}\d])/giu;
const hours = [
  'one two three four five six seven eight nine ten eleven twelve'.split(' '),
  'eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'.split(' '),
];

/** Replaces hours in words by digits, and words around them by words that the library knows: "gegen neun" is "um 9". */
function withHours(text: string): string {
  return text.replace(noTomorrow, '').replace(hourAfter, (written, word: string, hour: string) => {
    const named = hours.map((names) => names.indexOf(hour.toLowerCase()) + 1).find(Boolean);
    const digits = /^\d/.test(hour) ? hour : named;
    if (digits === undefined) return written;
    return `${/^(?:um|gegen)$/iu.test(word) ? 'um' : 'at'} ${digits}`;
  });
}

/**
 * The first date or time that a text names, in English or German, whichever reads more of it.
 *
 * @param wanted tells which readings are preferred
 * @param now milliseconds since 1970 UTC
 */
function readIn(
  text: string,
  wanted: (reading: Reading) => boolean,
  now = 0,
  timeZone = 'UTC',
): Reading | undefined {
  const instant = new Date(now);
  const offset = (wallTime(now, timeZone) - now) / 60_000;
  const searched = withHours(excerpt(text).slice(0, longestSearched));
  const [english, german] = [en, de].map(({ parse }) => {
    const readings = parse(searched, { instant, timezone: offset }, { forwardDate: true });
    // In German, short words such as "so" and "do" are days.
    const clear =
      parse === de.parse ? readings.filter((each) => isClear.test(each.text)) : readings;
    return clear.find(wanted) ?? clear[0];
  });
  if (!english || !german) return english ?? german;
  if (wanted(english) !== wanted(german)) return wanted(english) ? english : german;
  // With points the day comes first.
  const isGerman = /\d\.\d/u.test(german.text) || german.text.length > english.text.length;
  return isGerman ? german : english;
}

const isClear = /\d|\p{L}{4}/u;

function namesDay({ start }: Reading): boolean {
  return (['day', 'weekday', 'month', 'year'] as const).some((part) => start.isCertain(part));
}

function namesHour({ start }: Reading): boolean {
  return start.isCertain('hour');
}

/** The first date in a text, unchanged, with its time of day. */
export function readDate(text: string): string | undefined {
  const searched = excerpt(text).slice(0, longestSearched);
  const found = readIn(searched, namesDay);
  return found && namesDay(found)
    ? found.text.replace(/^(?:on|since) /iu, '')
    : otherDates.exec(searched)?.[0];
}

/** The date in a text in ISO form (2026-03-15); undefined when day, month or year is missing. */
export function readExactDate(text: string): string | undefined {
  const found = readIn(text, namesDay);
  return found && isExact(found) ? dayOf(found) : undefined;
}

function isExact({ text, start }: Reading): boolean {
  return /(?<!\d)\d{4}(?!\d)/u.test(text) && start.isCertain('day') && !isAmbiguous(text);
}

/** With slashes the order of day and month depends on the country: 3/4/2027, but not 15/3/2027 or 4/4/2027. */
function isAmbiguous(text: string): boolean {
  const [, first, second] = (/^(\d{1,2})\/(\d{1,2})\/\d/u.exec(text) ?? []).map(Number);
  return first !== undefined && first !== second && Math.max(first, second!) <= 12;
}

function dayOf({ start }: Reading): string {
  const [year, month, day] = (['year', 'month', 'day'] as const).map((part) => start.get(part)!);
  return isoDay(Date.UTC(year!, month! - 1, day));
}

function isoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** A time of day in ISO form (17:30). Reads "5:30 pm", but not "half past five", and not the 5 of "at 5". */
export function readTime(text: string): string | undefined {
  const found = readIn(
    text.replaceAll(/(?<![\d.])(\d{1,2})\.(\d{2})(?![\d.])/gu, '$1:$2'),
    namesHour,
  );
  const isWhole =
    found?.start.isCertain('meridiem') ||
    /\d[:h]\d|clock|noon|mid/iu.test(found && namesHour(found) ? found.text : '');
  return found && isWhole ? timeOf(found) : undefined;
}

function timeOf({ start }: Reading): string {
  return [start.get('hour'), start.get('minute')]
    .map((part) => String(part ?? 0).padStart(2, '0'))
    .join(':');
}

/** The day that a text names, as 2026-03-15. */
function readDay(text: string, now: number, timeZone: string): string | undefined {
  const found = readIn(text, namesDay, now, timeZone);
  if (!found) return undefined;
  const { start } = found;
  if (start.isCertain('weekday') || start.isCertain('day'))
    return isAmbiguous(found.text) ? undefined : dayOf(found);
  return found.tags().has(relative) && start.isCertain('month')
    ? monthsLater(found, now, timeZone)
    : undefined;
}

/** The same day of a later month, or its last day, where the library would continue into the next month. */
function monthsLater(found: Reading, now: number, timeZone: string): string {
  const day = dayOf(found);
  const today = new Date(wallTime(now, timeZone)).getUTCDate();
  if (Number(day.slice(8)) === today) return day;
  return isoDay(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, 0));
}

/** The day and the time that a text names, as 2026-03-15T09:00, in the zone; undefined without a time. */
function readMoment(text: string, now: number, timeZone: string): string | undefined {
  const written = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?/iu.exec(text);
  if (written) return written[0].toUpperCase();
  const day = readDay(text, now, timeZone);
  const found = readIn(text, namesHour, now, timeZone);
  const time = found && namesHour(found) ? timeOf(found) : undefined;
  return day === undefined || time === undefined ? undefined : `${day}T${time}`;
}

/**
 * Replaces the words for a day or a moment in a message by the exact value, for a field of that format.
 *
 * @param the format of the field that was asked for
 */
export function withExactDates(
  message: string,
  format: unknown,
  now: number | undefined,
  timeZone = 'UTC',
): string {
  if (now === undefined || (format !== 'date' && format !== 'date-time')) return message;
  const read = format === 'date' ? readDay : readMoment;
  return read(message, now, timeZone) ?? message;
}
