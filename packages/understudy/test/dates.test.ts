import type { JsonObject } from '@dramaturg/compiler';
import * as pt from 'chrono-node/pt';
import { expect, test, vi } from 'vitest';
import { extract } from '../src/extract.ts';
import { call, callAfter, midway } from './calls.ts';

/** Days and times that a person says are values in the zone of the contact. */

// Sunday evening in London, and Monday already in Tokyo.
const now = Date.parse('2026-11-29T20:30:00Z');

function read(message: string, format: string, timeZone = 'Europe/Berlin'): unknown {
  const schema = {
    type: 'object',
    properties: { when: { type: 'string', format } },
  } as const;
  const input = { ...midway, message, schema, asked: { path: ['when'] } };
  const { value } = extract(input, { ...call, now, timeZone }) as {
    value: { when?: unknown };
  };
  return value.when;
}

test.each([
  ['tomorrow at nine', '2026-11-30T09:00'],
  ['Tomorrow at 9:30, please', '2026-11-30T09:30'],
  ['next Friday at 5 pm', '2026-12-04T17:00'],
  ['am Freitag um neun', '2026-12-04T09:00'],
  ['heute morgen gegen neun', '2026-11-29T09:00'],
  ['Guten Morgen! Übermorgen um 9 Uhr', '2026-12-01T09:00'],
  ['übermorgen um 14 Uhr', '2026-12-01T14:00'],
  ['in two weeks at noon', '2026-12-13T12:00'],
  ['in zwei Wochen um zehn', '2026-12-13T10:00'],
  ['15 March 2027 at 10:15', '2027-03-15T10:15'],
  ['2026-12-24T18:00', '2026-12-24T18:00'],
])('%s is a moment', (message, moment) => {
  expect(read(message, 'date-time')).toBe(moment);
});

test('a time in a moment is no label, although the description of the field has the same words', () => {
  const when = {
    type: 'string',
    description: 'It must be a date and time such as 2026-03-15T17:30.',
    'x-limits': { format: 'date-time' },
  };
  const schema = { type: 'object', properties: { when } };
  for (const message of ['2026-03-15T17:30', '15 March 2026 at 17:30, please']) {
    const input = { ...midway, message, schema, asked: { path: ['when'] } };
    expect(extract(input, { ...call, now, timeZone: 'UTC' })).toEqual({
      value: { when: '2026-03-15T17:30' },
    });
  }
});

test.each([
  ['tomorrow', 'Europe/Berlin', '2026-11-30'],
  ['tomorrow', 'Asia/Tokyo', '2026-12-01'],
  ['next Sunday', 'Europe/Berlin', '2026-12-06'],
  ['in zwei Wochen', 'Europe/Berlin', '2026-12-13'],
  ['in 3 months', 'Europe/Berlin', '2027-02-28'],
  ['heute', 'Europe/Berlin', '2026-11-29'],
])('%s in %s is a day', (message, timeZone, day) => {
  expect(read(message, 'date', timeZone)).toBe(day);
});

test.each(['last Sunday', 'letzten Sonntag', 'on last Sunday, I think', 'vorigen Sonntag'])(
  '%s is past',
  (message) => {
    expect(read(message, 'date')).toBe('2026-11-22');
  },
);

test.each([
  ['time', '17:30, please', '17:30'],
  ['time', 'half past five in the afternoon', '17:30'],
  ['url', 'https://www.example.com', 'https://www.example.com'],
  ['url', 'it is http://example.com/a?b=c.', 'http://example.com/a?b=c'],
  ['phone', 'call me on 030 901820', '030 901820'],
])('the mark of the format %s reads %s', (format, message, value) => {
  const when = { type: 'string', description: 'Please tell us.', 'x-limits': { format } };
  const schema = { type: 'object', properties: { when } };
  const input = { ...midway, message, schema, asked: { path: ['when'] } };
  expect(extract(input, call)).toEqual({ value: { when: value } });
});

test('a moment without a time is what the person said: its format refuses it', () => {
  expect(read('next Friday', 'date-time')).toBe('next Friday');
});

test.each([
  ['15 March 2027', '2027-03-15'],
  ['15. März 2027', '2027-03-15'],
  ['March 15th, 2027', '2027-03-15'],
  ['1.3.2027', '2027-03-01'],
  ['15/03/2027', '2027-03-15'],
  ['5/5/2027', '2027-05-05'],
  ['31.02.2027', undefined],
  // In which country?
  ['03/04/2027', undefined],
  ['in a house', undefined],
  ['das ist so', undefined],
])('%s as a date', (message, day) => {
  expect(read(message, 'date')).toBe(day);
});

test.each([
  ['17:30', '17:30'],
  ['5.30 pm', '17:30'],
  ["6 o'clock", '06:00'],
  ['around noon', '12:00'],
  ['14 Uhr', '14:00'],
  ['17h30', '17:30'],
  ['at 5', undefined],
])('%s as a time', (message, time) => {
  expect(read(message, 'time')).toBe(time);
});

test('the time and the day of a moment may be apart', () => {
  expect(read('at 9, if that is fine, and then on Friday', 'date-time')).toBe('2026-12-04T09:00');
  expect(read('Friday is fine, 17:30 if possible', 'time')).toBe('17:30');
});

test('after a language that reads the whole text, no other one is tried', () => {
  using parse = vi.spyOn(pt.casual, 'parse');
  expect(read('15 March 2027 at 10:15', 'date-time')).toBe('2027-03-15T10:15');
  expect(read('morgen um 14 Uhr', 'date-time')).toBe('2026-11-30T14:00');
  expect(parse).not.toHaveBeenCalled();
  expect(read('3 de março', 'date')).toBe('2027-03-03');
  expect(parse).toHaveBeenCalled();
});

test.each([
  ['Friday at 3', 'Friday at 3'],
  ['Friday at 3 pm', '2026-12-04T15:00'],
  ['Freitag um 3 Uhr', '2026-12-04T03:00'],
  ['Friday at 9', '2026-12-04T09:00'],
])('%s is a moment, or is asked for', (message, moment) => {
  expect(read(message, 'date-time')).toBe(moment);
});

test.each([
  ['my arrival is 2027-03-05', { arrival: '2027-03-05' }],
  ['my arrival is tomorrow', {}],
])('%s, in an earlier line', async (line, value) => {
  const schema: JsonObject = {
    type: 'object',
    properties: { city: { type: 'string' }, arrival: { type: 'string', format: 'date' } },
  };
  const input = { ...midway, message: 'Why?', schema, asked: { path: ['city'] } };
  const clock = { now, timeZone: 'Europe/Berlin' };
  const output = await extract(input, {
    ...callAfter([line, 'agent: Which city?', 'Why?']),
    ...clock,
  });
  expect(output).toEqual({ value });
});
