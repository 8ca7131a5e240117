import { expect, test } from 'vitest';
import { halfWrites } from './killed-store.ts';
import {
  formats,
  interleavings,
  problemsAtEachWrite,
  problemsOf,
  superseding,
} from './turn-model.ts';

/**
 * Up to three lines and an act: about 213,000 interleavings. `EVERY=42` plays 5,073 of them in each format, each with a kill at each of its
 * writes, which takes about an hour: `EVERY=42 npm run test:all -- turn-model -t "each write"`.
 */
const every = (step: number) =>
  Array.from(interleavings(3, 1)).filter(
    (_, index) => index % Number(process.env['EVERY'] ?? step) === 0,
  );

/** Each interleaving is killed at every sixteenth half of a write, and the next one at the halves after them. */
const killsOf = (index: number) => [0, ...halfWrites.filter((half) => half % 16 === index % 16)];

test.each(formats)('%s: kills spread over all writes break no rule', async (format) => {
  for (const few of [interleavings(1, 0), interleavings(0, 1)])
    expect(await problemsOf(format, Array.from(few), killsOf)).toEqual([]);
});

test.each(formats)(
  '%s: a kill at each write of about 30 interleavings breaks no rule',
  async (format) => {
    const { problems, kills } = await problemsAtEachWrite(format, every(7_100));
    expect(problems).toEqual([]);
    expect(kills).toBeGreaterThan(300);
  },
);

test.each(formats)('%s: a kill breaks no rule in about 150 interleavings', async (format) => {
  expect(await problemsOf(format, every(1_420), (index) => [index % 42])).toEqual([]);
});

test.each(formats)('%s: the same when a line supersedes a reply', async (format) => {
  expect(await problemsOf(format, every(7_100), (index) => [index % 42], superseding)).toEqual([]);
});
