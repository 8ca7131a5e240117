import { longestMessage } from '@dramaturg/compiler';
import { assert, array, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { type Mailbox, nextBatch, withDue } from '../src/instance/mailbox.ts';

/** Takes batches until none is left. */
function batchesOf(mailbox: Mailbox): string[] {
  const texts: string[] = [];
  for (let batch = nextBatch(mailbox); batch; batch = nextBatch(batch.rest)) texts.push(batch.text);
  return texts;
}

test('every message is in one batch, in order, and every batch fits', () => {
  assert(
    property(array(integer({ min: 1, max: longestMessage }), { maxLength: 12 }), (lengths) => {
      const mailbox = lengths.map((length, index) => ({
        id: `m${index}`,
        text: String(index % 10).repeat(length),
      }));
      const texts = batchesOf(
        withDue(
          mailbox,
          mailbox.map(({ id }) => id),
        ),
      );
      expect(texts.join('\n')).toBe(mailbox.map(({ text }) => text).join('\n'));
      expect(texts.every(({ length }) => length <= longestMessage)).toBe(true);
      // Two batches in a row would not have fitted in one.
      for (const [index, text] of texts.slice(1).entries())
        expect(texts[index]!.length + 1 + text.split('\n')[0]!.length).toBeGreaterThan(
          longestMessage,
        );
    }),
    { numRuns: 200 },
  );
});

test('messages without a turn stay', () => {
  const mailbox = withDue(
    [
      { id: 'a', text: 'one' },
      { id: 'b', text: 'two' },
      { id: 'c', text: 'three' },
    ],
    ['a', 'c', 'given before'],
  );
  const batch = nextBatch(mailbox);
  expect(batch).toEqual({ text: 'one\nthree', rest: [{ id: 'b', text: 'two' }] });
  expect(nextBatch(batch!.rest)).toBeUndefined();
});
