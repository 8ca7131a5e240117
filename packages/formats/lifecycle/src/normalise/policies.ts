import type { Policies, PolicyWord, TimerPolicy } from '../definition.ts';
import { wordMeanings } from '../vocabulary.ts';
import { numberOf, optionalText, record, textsOf } from './fields.ts';

export function readPolicies(written: unknown): Policies {
  const fields = record(written);
  const heartbeat = record(fields['heartbeat']);
  const failure = record(fields['model_failure']);
  const settle = record(fields['settle']);
  return {
    heartbeat: {
      interval_ms: numberOf(heartbeat['interval_ms']) ?? 1_800_000,
      max_followups: numberOf(heartbeat['max_followups']) ?? 5,
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
    pick_up: fields['pick_up'] === 'when_available' ? 'when_available' : 'at_once',
    strict: fields['strict'] === true,
    time_zone: optionalText(fields['time_zone']),
    words: Object.entries(record(fields['words'])).flatMap(([language, group]) =>
      wordsOf(language, record(group)),
    ),
    after_end: afterEnd(fields['after_end']),
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
