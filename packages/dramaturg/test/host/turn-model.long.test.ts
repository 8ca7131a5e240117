import { expect, test } from 'vitest';
import { halfWrites } from './killed-store.ts';
import { formats, interleavings, problemsOf } from './turn-model.ts';

/** About 5,000 interleavings for each format. */
const step = 12;

test.each(formats)('%s: a kill at each write breaks no rule', async (format) => {
  for (const few of [interleavings(1, 0), interleavings(0, 1)])
    expect(await problemsOf(format, Array.from(few), () => [0, ...halfWrites])).toEqual([]);
});

test.each(formats)('%s: up to three lines and an act, with a kill', async (format) => {
  const chosen = Array.from(interleavings(3, 1)).filter((_, index) => index % step === 0);
  expect(chosen.length).toBeGreaterThan(4_500);
  expect(await problemsOf(format, chosen, (index) => [index % 42])).toEqual([]);
});
