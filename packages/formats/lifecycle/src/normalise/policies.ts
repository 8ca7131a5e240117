import { isRecord } from '@dramaturg/compiler';
import type { Policies, PolicyWord, TimerPolicy } from '../definition.ts';
import { holidaysIn } from '../icalendar.ts';
import { type Times, weekdays } from '../times.ts';
import { wordMeanings } from '../vocabulary.ts';
import { numberOf, optionalText, record, textsOf } from './fields.ts';

export function readPolicies(written: unknown): Policies {
  const fields = record(written);
  const heartbeat = record(fields['heartbeat']);
  const failure = record(fields['model_failure']);
  const settle = record(fields['settle']);
  const times = timesOf(fields);
  return {
    heartbeat: {
      interval_ms: numberOf(heartbeat['interval_ms']) ?? 1_800_000,
      max_followups: times.reminders?.length ?? numberOf(heartbeat['max_followups']) ?? 5,
      max_failures: numberOf(heartbeat['max_failures']) ?? 3,
      budget: heartbeat['budget'] === 'lifetime' ? 'lifetime' : 'consecutive',
      resume_timer: timerPolicy(heartbeat['resume_timer'], 'remaining'),
      restart_timer: timerPolicy(heartbeat['restart_timer'], 'deadline'),
    },
    model_failure: {
      attempts: numberOf(failure['attempts']) ?? 1,
      delay_ms: numberOf(failure['delay_ms']) ?? 5_000,
      backoff_rate: numberOf(failure['backoff_rate']) ?? 3,
      max_delay_ms: numberOf(failure['max_delay_ms']) ?? 300_000,
    },
    settle: {
      quiet_ms: numberOf(settle['quiet_ms']) ?? 0,
      most_ms: numberOf(settle['most_ms']) ?? 10_000,
    },
    fallbacks: isRecord(fields['fallbacks']) ? fallbacksOf(fields['fallbacks']) : undefined,
    overlap: fields['overlap'] === 'supersede' ? 'supersede' : 'queue',
    pick_up: fields['pick_up'] === 'when_available' ? 'when_available' : 'at_once',
    strict: fields['strict'] === true,
    times,
    words: Object.entries(record(fields['words'])).flatMap(([language, group]) =>
      wordsOf(language, record(group)),
    ),
    after_end: afterEnd(fields['after_end']),
  };
}

/** The given fields, with the defaults of their parts. */
function timesOf({ time_zone, quiet_hours, calendar, reminders }: Record<string, unknown>): Times {
  const hours = (given: unknown, from: string, to: string) => ({
    from: optionalText(record(given)['from']) || from,
    to: optionalText(record(given)['to']) || to,
  });
  const { working_days, holidays } = record(calendar);
  const texts = (given: unknown, at: string) => textsOf(given, [at]).map(({ text }) => text);
  return {
    ...(typeof time_zone === 'string' && { time_zone }),
    ...(isRecord(quiet_hours) && { quiet_hours: hours(quiet_hours, '', '') }),
    ...(isRecord(calendar) && {
      calendar: {
        ...hours(calendar, '00:00', '24:00'),
        working_days:
          working_days === undefined ? weekdays.slice(1, 6) : texts(working_days, 'days'),
        ...(typeof holidays === 'string'
          ? holidaysIn(holidays)
          : { holidays: texts(holidays, 'holidays') }),
      },
    }),
    ...(Array.isArray(reminders) && {
      reminders: reminders.map((each: unknown) => {
        const { after, text } = record(each);
        return { after: optionalText(after), ...(typeof text === 'string' && { text }) };
      }),
    }),
  };
}

function fallbacksOf(written: Record<string, unknown>): Policies['fallbacks'] {
  const texts = ['waiting', 'failed', 'language'].flatMap((name) => {
    const text = written[name];
    return typeof text === 'string' ? [[name, text]] : [];
  });
  return {
    waiting_after_ms: numberOf(written['waiting_after_ms']) ?? 30_000,
    ...(Object.fromEntries(texts) as Omit<NonNullable<Policies['fallbacks']>, 'waiting_after_ms'>),
  };
}

function afterEnd(written: unknown): Policies['after_end'] {
  if (written === 'start') return written;
  const text = record(written)['text'];
  return typeof text === 'string' ? { text } : undefined;
}

function wordsOf(language: string, group: Record<string, unknown>): PolicyWord[] {
  const says = optionalText(group['help_text']);
  return wordMeanings.flatMap((means) =>
    textsOf(group[means], ['policies', 'words', language, means]).map(({ text, at }) => ({
      text,
      means,
      ...(means === 'help' && { says }),
      at,
    })),
  );
}

function timerPolicy(written: unknown, usual: TimerPolicy): TimerPolicy {
  return written === 'deadline' || written === 'remaining' || written === 'restart'
    ? written
    : usual;
}
