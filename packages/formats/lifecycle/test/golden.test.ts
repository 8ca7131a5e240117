import { readFileSync } from 'node:fs';
import { golden, fixturesIn } from '@dramaturg/testing';
import { expect, test } from 'vitest';
import { lifecycle } from '../src/index.ts';
import { word } from './words.ts';

const fixtures = new URL('./fixtures/', import.meta.url);

golden(lifecycle, fixtures, word);

test('a fixture shows each kind of problem, except for one that takes 20,000 rows', () => {
  const shown = fixturesIn(fixtures)
    .filter(({ fails }) => fails)
    .map(({ folder }) => readFileSync(`${folder}/diagnostics.txt`, 'utf8'))
    .join('\n');
  const codes = lifecycle.problems.map(({ code }) => code);
  const missing = codes.filter((code) => !new RegExp(`^\\w+ ${code} `, 'm').test(shown));
  expect(missing).toEqual(['lifecycle/too-many']);
});
