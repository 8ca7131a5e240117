import type { Path } from '@dramaturg/compiler';
import { isTimeZone } from '@dramaturg/compiler/text';
import { badTime } from '../diagnostics/policies.ts';
import { allowedFrom, type Hours, readAfter, readClock } from '../times.ts';
import type { LifecycleRule } from './rule.ts';

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
