import { expect, test } from 'vitest';
import { formats, interleavings, problemsOf } from './turn-model.ts';

/** The long test of the model plays more of them. */
test.each(formats)(
  '%s: the rules of turns hold in some interleavings, with kills',
  async (format) => {
    const chosen = Array.from(interleavings(2, 1)).filter((_, index) => index % 71 === 0);
    expect(await problemsOf(format, chosen, (index) => [(index * 7) % 42])).toEqual([]);
  },
);
