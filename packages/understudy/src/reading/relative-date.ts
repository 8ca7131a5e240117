import { wallTime } from '@dramaturg/compiler/text';
import { readExactDate, readTime } from './date.ts';

/** Days and times that people say from where they are: "tomorrow at nine", "next Friday", "in zwei Wochen". */

const dayMs = 86_400_000;

// cspell:disable
const days: readonly (readonly [spoken: RegExp, days: number])[] = [
  [/\bday after tomorrow\b|(?<!\p{L})übermorgen\b/u, 2],
  [/\btomorrow\b|(?<!\p{L}|(?:am|heute|guten) )morgen\b(?! früh um)/u, 1],
  [/\btoday\b|\btonight\b|\bheute\b/u, 0],
];
const weekdays = [
  'sunday|sonntag',
  'monday|montag',
  'tuesday|dienstag',
  'wednesday|mittwoch',
  'thursday|donnerstag',
  'friday|freitag',
  'saturday|samstag|sonnabend',
].map((names) => new RegExp(`(?<!\\p{L})(?:${names})(?!\\p{L})`, 'u'));
const numbers = [
  'zero null',
  'one a an ein eine einem einer eins',
  'two zwei',
  'three drei',
  'four vier',
  'five fünf',
  'six sechs',
  'seven sieben',
  'eight acht',
  'nine neun',
  'ten zehn',
  'eleven elf',
  'twelve zwölf',
].map((words) => words.split(' '));
const inSome = /(?<!\p{L})in (\d{1,3}|\p{L}{1,6}) (day|week|month|tag|woche|monat)/u;
const atSome =
  /(?<!\p{L})(?:at|um|by|gegen) (\d{1,2}|\p{L}{1,6})(?![:.\p{L}\d])|(?<!\d)(\d{1,2}) uhr\b/u;

// cspell:enable

function numberIn(word: string): number | undefined {
  if (/^\d/.test(word)) return Number(word);
  const index = numbers.findIndex((words) => words.includes(word));
  return index < 0 ? undefined : index;
}

/**
 * The day that a text names, as 2026-03-15.
 *
 * @param now milliseconds since 1970 UTC
 */
function readDay(text: string, now: number, timeZone: string): string | undefined {
  const said = text.slice(0, 1_000).toLowerCase();
  const exact = readExactDate(text);
  if (exact !== undefined) return exact;
  const today = new Date(wallTime(now, timeZone));
  const [, count, unit] = inSome.exec(said) ?? [];
  const many = count === undefined ? undefined : numberIn(count);
  const found = days.find(([spoken]) => spoken.test(said));
  const weekday = weekdays.findIndex((name) => name.test(said));
  if (many !== undefined && unit?.startsWith('mon')) {
    const date = today.getUTCDate();
    today.setUTCMonth(today.getUTCMonth() + many, 1);
    const last = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 0));
    today.setUTCDate(Math.min(date, last.getUTCDate()));
    return isoDay(today.getTime());
  }
  const later =
    many === undefined
      ? (found?.[1] ?? (weekday < 0 ? undefined : ((weekday - today.getUTCDay() + 6) % 7) + 1))
      : many * (unit?.startsWith('w') ? 7 : 1);
  return later === undefined ? undefined : isoDay(today.getTime() + later * dayMs);
}

function isoDay(wall: number): string {
  return new Date(wall).toISOString().slice(0, 10);
}

/** The day and the time that a text names, as 2026-03-15T09:00, in the zone; undefined without a time. */
function readMoment(text: string, now: number, timeZone: string): string | undefined {
  const said = text.slice(0, 1_000).toLowerCase();
  const written = /\d{4}-\d{2}-\d{2}t\d{2}:\d{2}(?::\d{2})?(?:z|[+-]\d{2}:\d{2})?/u.exec(said)?.[0];
  if (written !== undefined) return written.toUpperCase();
  const day = readDay(text, now, timeZone);
  const [, named, uhr] = atSome.exec(said) ?? [];
  const hour = numberIn(named ?? uhr ?? '');
  // Numbers of a date are not a time.
  const time =
    readTime(/(?<!\p{L})(?:at|um|by|gegen) (?=\d).*/su.exec(said)?.[0] ?? withoutDate(said)) ??
    (hour === undefined || hour > 23 ? undefined : `${String(hour).padStart(2, '0')}:00`);
  return day === undefined || time === undefined ? undefined : `${day}T${time}`;
}

function withoutDate(text: string): string {
  return text.replaceAll(/\d{1,4}[./-]\d{1,2}[./-]\d{2,4}/gu, ' ');
}

/**
 * A message with the day or the moment that it names in place of the words, for a field of that format.
 *
 * @param format of the field that was asked for
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
