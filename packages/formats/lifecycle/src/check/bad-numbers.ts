import { badNumber } from '../diagnostics/rows.ts';
import { longestDelay } from '../limits.ts';
import type { LifecycleRule } from './rule.ts';

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
