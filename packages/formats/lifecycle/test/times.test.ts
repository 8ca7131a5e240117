import { expect, test } from 'vitest';
import { holidaysIn } from '../src/icalendar.ts';
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

const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'];
const file = ['BEGIN:VCALENDAR', 'VERSION:2.0']
  .concat(
    event('SUMMARY:Bank holi', ' day', 'DTSTART;VALUE=DATE:20261026', 'DTEND;VALUE=DATE:20261028'),
  )
  .concat(event('DTSTART;VALUE=DATE:20201225', 'RRULE:FREQ=YEARLY'))
  .concat(event('DTSTART;VALUE=DATE:20261102', 'STATUS:CANCELLED'))
  .concat(event('DTSTART:20261103T090000Z', 'DTEND:20261103T100000Z'))
  .concat('END:VCALENDAR')
  .join('\r\n');

test('the holidays of an iCalendar file are its all-day events', () => {
  const { holidays } = holidaysIn(file);
  expect(holidays).toEqual(['2026-10-26', '2026-10-27', '--12-25']);
  const times = { calendar: { ...calendar, holidays } };
  const next = (day: string) =>
    new Date(allowedFrom(Date.parse(`${day}T12:00Z`), times, 'UTC')).toISOString().slice(0, 10);
  expect(['2026-10-26', '2026-12-24', '2026-12-25', '2028-12-25'].map(next)).toEqual([
    '2026-10-28',
    '2026-12-24',
    '2026-12-28',
    '2028-12-26',
  ]);
});
