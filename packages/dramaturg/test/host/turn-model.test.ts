import { expect, test } from 'vitest';
import { formats, interleavings, problemsOf, superseding } from './turn-model.ts';

/** The long test of the model plays more of them. */
const every = (step: number) =>
  Array.from(interleavings(2, 1)).filter((_, index) => index % step === 0);

test.each(formats)(
  '%s: the rules of turns hold in some interleavings, with kills',
  async (format) => {
    expect(await problemsOf(format, every(331), (index) => [(index * 7) % 42])).toEqual([]);
  },
);

test.each(formats)('%s: they hold when a line supersedes a reply', async (format) => {
  const halves = (index: number) => [(index * 5) % 42];
  expect(await problemsOf(format, every(443), halves, superseding)).toEqual([]);
});

test.each(formats)(
  '%s: an edit of a line that came before a question does not answer it',
  async (format) => {
    const found = await problemsOf(
      format,
      [
        [
          { place: 'channel', kind: 'bare' },
          { place: 'later', kind: 'edit' },
        ],
      ],
      () => [0],
    );
    expect(found).toEqual([]);
  },
);
