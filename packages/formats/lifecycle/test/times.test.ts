import { expect, test } from 'vitest';
import { allowedFrom, dueAfter, readAfter, type Times } from '../src/times.ts';

const berlin = 'Europe/Berlin';
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri'];
const calendar = { working_days: weekdays, from: '08:00', to: '20:00', holidays: ['2026-10-26'] };

test.each([
  // The clock is set back on 25 October 2026, and forward on 29 March 2026.
  ['2026-10-24T18:00+02:00', '24h', '2026-10-25T17:00+01:00'],
  ['2026-10-24T18:00+02:00', '1 day', '2026-10-25T18:00+01:00'],
  ['2026-10-24T18:00+02:00', '1 day at 09:00', '2026-10-25T09:00+01:00'],
  ['2026-03-28T02:30+01:00', '1 day', '2026-03-29T03:30+02:00'],
  ['2026-10-23T18:00+02:00', '1 working day at 09:00', '2026-10-27T09:00+01:00'],
  ['2026-10-23T18:00+02:00', '2 working days', '2026-10-28T18:00+01:00'],
  ['2026-10-23T18:00+02:00', '1 week', '2026-10-30T18:00+01:00'],
  ['2026-10-23T18:00+02:00', '45 minutes', '2026-10-23T18:45+02:00'],
])('from %s, "%s" is %s', (from, after, due) => {
  const at = dueAfter(Date.parse(from), readAfter(after)!, { calendar }, berlin);
  expect(new Date(at).toISOString()).toBe(new Date(due).toISOString());
});

const quiet_hours = { from: '21:00', to: '08:00' };

test.each<[string, Times, string, boolean?]>([
  ['2026-10-23T20:59+02:00', { quiet_hours }, '2026-10-23T20:59+02:00'],
  ['2026-10-23T21:00+02:00', { quiet_hours }, '2026-10-24T08:00+02:00'],
  ['2026-10-25T02:30+01:00', { quiet_hours }, '2026-10-25T08:00+01:00'],
  ['2026-10-23T20:00+02:00', { calendar }, '2026-10-27T08:00+01:00'],
  ['2026-10-24T09:00+02:00', { calendar, quiet_hours }, '2026-10-24T09:00+02:00', true],
  ['2026-10-24T07:00+02:00', { calendar, quiet_hours }, '2026-10-24T08:00+02:00', true],
])('from %s on, with %j, a reminder may be sent at %s', (from, times, due, isChosen) => {
  const at = allowedFrom(Date.parse(from), times, berlin, isChosen);
  expect(new Date(at).toISOString()).toBe(new Date(due).toISOString());
});
