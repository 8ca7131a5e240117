import type { JsonObject } from '@dramaturg/compiler';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { understudyPorts } from '../src/index.ts';
import { callAfter, midway } from './calls.ts';

/** Messages as people type them, each with the values that a colleague would write down. */

const fields: Readonly<Record<string, JsonObject>> = {
  name: { type: 'string', description: 'What is your name?' },
  account: { type: 'string', description: 'What is your account number?' },
  address: { type: 'string', description: 'What is your address?' },
  city: { type: 'string', description: 'Which city do you live in?' },
  zip: { type: 'string', description: 'What is your postal code?' },
  email: { type: 'string', format: 'email', description: 'What is your email address?' },
  phone: { type: 'string', format: 'phone', description: 'What is your phone number?' },
  since: { type: 'string', description: 'How long have you had the problem?' },
  arrival: { type: 'string', format: 'date', description: 'When do you arrive?' },
  born: { type: 'string', format: 'date', description: 'When were you born?' },
  appointment: { type: 'string', format: 'date-time', description: 'When shall we come?' },
  time: { type: 'string', format: 'time', description: 'At what time?' },
  guests: { type: 'integer', minimum: 1, maximum: 20, description: 'How many guests?' },
  nights: { type: 'integer', minimum: 1, description: 'How many nights do you stay?' },
  age: { type: 'integer', minimum: 0, description: 'How old are you?' },
  price: { type: 'number', description: 'What did it cost?' },
  temperature: { type: 'number', description: 'What is the temperature, in degrees Celsius?' },
  minutes: { type: 'number', description: 'How long did it take, in minutes?' },
  agreed: { type: 'boolean', description: 'Do you agree?' },
  day: { enum: ['Monday', 'Tuesday', 'Wednesday'], description: 'Which day suits you?' },
  size: { enum: ['small', 'medium', 'large'], description: 'Which size?' },
  issue: { enum: ['billing', 'technical', 'general'], description: 'What is it about?' },
  toppings: {
    type: 'array',
    items: { enum: ['cheese', 'ham', 'olives', 'mushrooms'] },
    description: 'Which toppings?',
  },
};

const cases = readFileSync(join(import.meta.dirname, 'measured.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' | ') as [string, string, ...string[]]);

test.for(cases)('%s: %s', async ([wanted, message, ...records]) => {
  const isUnderstood = !wanted.startsWith('~ ');
  const names = wanted
    .replace('~ ', '')
    .split(', ')
    .map((each) => each.split(': '));
  const asked = names[0]![0]!;
  const properties = Object.fromEntries(
    names.map(([name, known]) => [
      name,
      { ...fields[name!], ...(known ? { 'x-collected': true } : {}) },
    ]),
  );
  const call = callAfter([`agent: ${fields[asked]!['description'] as string}`, message]);
  const { value } = await understudyPorts().extract(
    { ...midway, message, schema: { type: 'object', properties }, asked: { path: [asked] } },
    { ...call, now: Date.parse('2026-11-29T20:30:00Z'), timeZone: 'Europe/Berlin' },
  );
  const expected = records.map((each) => JSON.parse(each.toLowerCase()));
  const recorded = JSON.parse(JSON.stringify(value).toLowerCase());
  const isRecorded = expected.some((each) => isDeepStrictEqual(each, recorded));
  expect({ recorded, isRecorded }).toMatchObject({ isRecorded: isUnderstood });
});
