import type { LifecycleRule } from '../definition.ts';
import type { Path } from '@dramaturg/compiler';
import { bareWord, isTimeZone } from '@dramaturg/compiler/text';
import { longestDelay, longestWord } from '../limits.ts';
import { error } from '../problems.ts';
import { allowedFrom, type Hours, readAfter, readClock } from '../times.ts';

const badNumber = error(
  'bad-number',
  (what: string, value: number, least: number, most: number | undefined) => ({
    message: `The "${what}" is ${value}.`,
    hint:
      most === undefined
        ? `Write a whole number, ${least} or more.`
        : `Write a whole number from ${least} to ${most}.`,
  }),
);

/** Reports delays and counts that are not whole numbers within their bounds. */
export const badNumbers: LifecycleRule = ({ definition, report }) => {
  const { heartbeat, model_failure, settle, fallbacks } = definition.policies;
  for (const [field, least, most] of heartbeatNumbers) {
    const value = heartbeat[field];
    if (!isWithin(value, least, most))
      report(badNumber(field, value, least, most), ['policies', 'heartbeat', field]);
  }
  for (const [field, least, most] of failureNumbers) {
    const value = model_failure[field];
    if (!isWithin(value, least, most))
      report(badNumber(field, value, least, most), ['policies', 'model_failure', field]);
  }
  for (const field of ['quiet_ms', 'most_ms'] as const)
    if (!isWithin(settle[field], 0, longestDelay))
      report(badNumber(field, settle[field], 0, longestDelay), ['policies', 'settle', field]);
  const { waiting_after_ms: wait = 0 } = fallbacks ?? {};
  if (!isWithin(wait, 0, longestDelay))
    report(badNumber('waiting_after_ms', wait, 0, longestDelay), [
      'policies',
      'fallbacks',
      'waiting_after_ms',
    ]);
  for (const { timer } of definition.states) {
    const value = timer?.after_ms;
    if (value !== undefined && !isWithin(value, 1, longestDelay))
      report(badNumber('after_ms', value, 1, longestDelay), [...timer!.at, 'after_ms']);
  }
};

const heartbeatNumbers = [
  ['interval_ms', 1, longestDelay],
  ['max_followups', 0, undefined],
  ['max_failures', 1, undefined],
] as const;

const failureNumbers = [
  ['attempts', 1, 100],
  ['delay_ms', 1, longestDelay],
  ['backoff_rate', 1, 100],
  ['max_delay_ms', 1, longestDelay],
] as const;

function isWithin(value: number, least: number, most: number | undefined): boolean {
  return Number.isSafeInteger(value) && value >= least && (most === undefined || value <= most);
}

const badTime = error(
  'bad-time',
  (fault: 'zone' | 'clock' | 'date' | 'calendar' | 'after' | 'never', written: string) => ({
    message: {
      zone: `"${written}" is not the name of a time zone.`,
      clock: `"${written}" is not a time of the day.`,
      date: `"${written}" is not a date.`,
      calendar: `"${written}" is not an iCalendar file with all-day events.`,
      after: `"${written}" does not say when a reminder is sent.`,
      never: 'These hours leave no time for a reminder.',
    }[fault],
    hint: {
      zone: 'Write a name of the IANA time zone database, such as "Europe/Berlin" or "America/Santiago".',
      clock: 'Write hours and minutes, from "00:00" to "24:00".',
      date: 'Write year, month and day, such as "2026-12-25".',
      calendar:
        'Use the text of a file that begins with BEGIN:VCALENDAR. Rules other than FREQ=YEARLY are not read: write their days.',
      after:
        'Write a number with "minutes", "hours", "days", "weeks" or "working days"; after days also a time: "1 working day at 09:00".',
      never: 'Leave some working hours outside of the quiet hours.',
    }[fault],
  }),
);

/** Reports impossible times in the policies, and reminders that could never be sent. */
export const badTimes: LifecycleRule = ({ definition, report }) => {
  const { times } = definition.policies;
  const { time_zone, quiet_hours, calendar, reminders = [] } = times;
  let isSound = true;
  const complain = (fault: Parameters<typeof badTime>[0], written: string, ...at: Path) => {
    isSound = false;
    report(badTime(fault, written), ['policies', ...at]);
  };
  const checkHours = (hours: Hours, at: string) => {
    for (const field of ['from', 'to'] as const)
      if (readClock(hours[field]) === undefined) complain('clock', hours[field], at, field);
  };
  if (time_zone !== undefined && !isTimeZone(time_zone)) complain('zone', time_zone, 'time_zone');
  if (quiet_hours) checkHours(quiet_hours, 'quiet_hours');
  if (calendar) checkHours(calendar, 'calendar');
  if (calendar?.unreadable !== undefined)
    complain('calendar', calendar.unreadable.slice(0, 80), 'calendar', 'holidays');
  for (const [index, day] of (calendar?.holidays ?? []).entries())
    if (!isDate(day)) complain('date', day, 'calendar', 'holidays', index);
  for (const [index, { after }] of reminders.entries())
    if (readAfter(after) === undefined) complain('after', after, 'reminders', index, 'after');
  if (!isSound || (!quiet_hours && !calendar)) return;
  // A search without a result ends years later.
  const wait = allowedFrom(0, times, 'UTC');
  if (wait > longestWaitMs || allowedFrom(wait, times, 'UTC') !== wait)
    report(badTime('never', ''), ['policies', calendar ? 'calendar' : 'quiet_hours'], {
      follows: [['policies', 'calendar', 'working_days', '*']],
    });
};

const longestWaitMs = 366 * 86_400_000;

function isDate(text: string): boolean {
  // Any leap year, for a day of each year.
  const date = text.replace(/^--/, '2024-');
  return /^\d{4}-\d\d-\d\d$/.test(date) && new Date(date).toJSON()?.slice(0, 10) === date;
}

const badWord = error(
  'bad-word',
  (
    fault: 'blank' | 'long' | 'ambiguous' | 'unanswered' | 'language',
    text: string,
    other: string = '',
  ) => ({
    message: {
      blank: `"${text}" has no letter or digit, so no message is this word.`,
      long: `The word "${text}" is too long: a word has at most ${longestWord} characters.`,
      ambiguous: `The word "${text}" is already a word of "${other}".`,
      unanswered: `The word "${text}" asks for help, but there is no "help_text" to answer with.`,
      language: `"${text}" is not the code of a language.`,
    }[fault],
    hint: {
      blank: 'Write a word that people send, such as "STOP".',
      long: 'Write one or a few words: the whole message has to be the same.',
      ambiguous: 'Remove it from one of the two lists.',
      unanswered: 'Add "help_text" next to "help": the sentence that the contact receives.',
      language: 'Write a code such as "en", "de" or "pt-BR", and the lists of words below it.',
    }[fault],
  }),
);

/** Reports words of the policy `words` that cannot be a message, that have two meanings, or that have no answer. */
export const badWords: LifecycleRule = ({ definition, report }) => {
  const meanings = new Map<string, string>();
  const languages = new Set<string>();
  for (const { text, means, says, at } of definition.policies.words) {
    const word = bareWord(text);
    const other = meanings.get(word) ?? means;
    if (word === '') report(badWord('blank', text), at);
    else if (word.length > longestWord) report(badWord('long', text), at);
    else if (other !== means) report(badWord('ambiguous', text, other), at);
    else if (says?.trim() === '') report(badWord('unanswered', text), at);
    meanings.set(word, other);
    languages.add(String(at[2]));
  }
  for (const language of languages)
    if (!isLanguage(language))
      report(badWord('language', language), ['policies', 'words', language], { at: 'key' });
};

function isLanguage(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}
