import { excerpt } from './words.ts';

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const weekday =
  '(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)';
const day = '\\d{1,2}(?:st|nd|rd|th)?';
const count =
  '(?:\\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of)';

/** Dates as people write and say them, the most specific first. */
const spellings = [
  '\\d{4}-\\d{1,2}-\\d{1,2}',
  '\\d{1,2}[./]\\d{1,2}[./](?:\\d{4}|\\d{2})',
  `(?:${weekday},? )?(?:the )?${day} (?:of )?${month}\\.?(?:,? \\d{4})?`,
  `(?:${weekday},? )?${month}\\.? (?:the )?${day}(?:,? \\d{4})?`,
  `${month} \\d{4}`,
  `(?:(?:next|this|last|coming|on|since) )?${weekday}`,
  `(?:the )?day (?:after tomorrow|before yesterday)`,
  '(?:today|tonight|tomorrow|yesterday|right now|now|immediately)',
  '(?:next|this|last|the coming) (?:week(?:end)?|month|year|spring|summer|autumn|fall|winter)',
  `in ${count} (?:days?|weeks?|months?|years?)`,
  `${count} (?:days?|weeks?|months?|years?) ago`,
  `(?:next|this|last|in|since) ${month}`,
  'the \\d{1,2}(?:st|nd|rd|th)',
  '\\d{1,2}[./]\\d{1,2}\\.?',
  "(?:new year(?:['’]s)?(?: eve| day)?|christmas|easter)",
].map((spelling) => new RegExp(`(?<![\\p{L}\\p{N}])${spelling}(?![\\p{L}\\p{N}])`, 'iu'));

/** The first date in a text, as written there, with its time of day. */
export function readDate(text: string): string | undefined {
  const found = dateIn(text);
  return found === undefined
    ? undefined
    : found.replace(/^(?:on|since) /iu, '') + timeAfter(text.slice(0, longestSearched), found);
}

/** How many characters of a text are searched for a date. */
const longestSearched = 1_000;

function dateIn(text: string): string | undefined {
  const searched = excerpt(text).slice(0, longestSearched);
  for (const spelling of spellings) {
    const found = spelling.exec(searched)?.[0];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The time of day that goes with a date: "tomorrow at 10". */
function timeAfter(text: string, date: string): string {
  const rest = text.slice(text.indexOf(date) + date.length);
  const time =
    /^,? (?:(?:at|around|about|by|after|before) (?:\d{1,2}(?:[:.]\d{2})?(?: ?[ap]\.?m\b)?|noon)|(?:in the )?(?:morning|afternoon|evening)|at night)(?![\p{L}\p{N}])/iu;
  return time.exec(rest)?.[0] ?? '';
}

/** The date in a text in ISO form (2026-03-15); undefined when day, month or year is missing. */
export function readExactDate(text: string): string | undefined {
  const said = dateIn(text)?.toLowerCase();
  if (said === undefined) return undefined;
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/u.exec(said);
  if (iso) return dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const numeric = /^(\d{1,2})([./])(\d{1,2})[./](\d{4})$/u.exec(said);
  if (numeric) {
    const [first, second, year] = [numeric[1], numeric[3], numeric[4]].map(Number);
    // With points the day comes first; with slashes that depends on the country.
    if (numeric[2] === '.' || first! > 12) return dateOf(year!, second!, first!);
    return second! > 12 || first === second ? dateOf(year!, first!, second!) : undefined;
  }
  const named = months.findIndex((name) => new RegExp(`\\b${name}`, 'u').test(said));
  const year = /\b\d{4}\b/u.exec(said)?.[0];
  const dayOfMonth = /\b(\d{1,2})(?:st|nd|rd|th)?\b/u.exec(said)?.[1];
  if (named < 0 || year === undefined || dayOfMonth === undefined) return undefined;
  return dateOf(Number(year), named + 1, Number(dayOfMonth));
}

function dateOf(year: number, monthOfYear: number, dayOfMonth: number): string | undefined {
  const date = new Date(Date.UTC(year, monthOfYear - 1, dayOfMonth));
  const isReal = date.getUTCMonth() === monthOfYear - 1 && date.getUTCDate() === dayOfMonth;
  return isReal ? date.toISOString().slice(0, 10) : undefined;
}

/** A time of day in ISO form (17:30). Reads "5:30 pm", but not "half past five". */
export function readTime(text: string): string | undefined {
  const searched = excerpt(text).toLowerCase().slice(0, 1_000);
  if (/\bnoon\b|\bmidday\b/u.test(searched)) return '12:00';
  if (/\bmidnight\b/u.test(searched)) return '00:00';
  const match =
    /(?<!\d)(\d{1,2})(?:[:.h](\d{2}))?\s?(a\.?m\.?|p\.?m\.?|o['’]clock)?(?![\d\p{L}])/u.exec(
      searched,
    );
  if (match === null) return undefined;
  const [, hours = '', minutes, half] = match;
  if (minutes === undefined && half === undefined) return undefined;
  const isAfternoon = half?.startsWith('p') ?? false;
  const isMorning = half?.startsWith('a') ?? false;
  const hour = (Number(hours) % (isAfternoon || isMorning ? 12 : 24)) + (isAfternoon ? 12 : 0);
  if (Number(hours) > 24 || Number(minutes ?? 0) > 59) return undefined;
  return `${String(hour).padStart(2, '0')}:${minutes ?? '00'}`;
}
