import { longestMessage } from '@dramaturg/compiler/machine';
import { array, assert, asyncProperty, constantFrom, integer, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import type { TranscriptLine } from '../src/instance/event.ts';
import {
  emptyInbox,
  isFull,
  readBatch,
  withAllDue,
  withMessage,
  withoutBatch,
} from '../src/instance/inbox.ts';
import type { LineRange } from '../src/store/contract.ts';

type Line = Pick<TranscriptLine, 'role' | 'text'>;

const someLine = record({
  role: constantFrom<Line['role'][]>('contact', 'contact', 'agent', 'manual', 'system'),
  text: integer({ min: 1, max: longestMessage }).map((length) => 'x'.repeat(length)),
});

const shortLine = record({
  role: constantFrom<Line['role'][]>('contact', 'contact', 'agent', 'system'),
  text: nat({ max: 99 }).map(String),
});

/** A transcript and its inbox, from the first line of a contact on. */
function inboxOf(lines: readonly Line[]) {
  let inbox = emptyInbox;
  for (const [index, { role, text }] of lines.entries())
    if (role === 'contact') inbox = withMessage(inbox, index, text);
  return withAllDue(inbox);
}

const reader =
  (lines: readonly Line[], pageMax = Infinity) =>
  async ({ from, limit }: LineRange): Promise<readonly TranscriptLine[]> =>
    lines.slice(from, from + Math.min(limit, pageMax)).map((line) => ({ ...line, id: '', at: 0 }));

test('every message is in one batch, in order, and every batch fits', async () => {
  await assert(
    asyncProperty(
      array(someLine, { maxLength: 14 }),
      array(shortLine, { maxLength: 60 }),
      integer({ min: 1, max: 5 }),
      async (long, short, pageMax) => {
        const lines = [...long, ...short];
        const batches: (readonly string[])[] = [];
        let inbox = inboxOf(lines);
        while (inbox.due > 0) {
          const batch = await readBatch(inbox, reader(lines, pageMax));
          batches.push(batch.texts);
          inbox = withoutBatch(inbox, batch);
        }
        const received = lines.filter(({ role }) => role === 'contact').map(({ text }) => text);
        expect(batches.flat()).toEqual(received);
        expect(inbox).toMatchObject({ count: 0, due: 0, size: 0 });
        const texts = batches.map((batch) => batch.join('\n'));
        expect(texts.every(({ length }) => length <= longestMessage)).toBe(true);
        // Two batches in a row would not have fitted in one.
        for (const [index, batch] of batches.slice(1).entries())
          expect(texts[index]!.length + 1 + batch[0]!.length).toBeGreaterThan(longestMessage);
      },
    ),
    { numRuns: 200 },
  );
});

test('messages without a turn stay', async () => {
  const lines: Line[] = [
    { role: 'contact', text: 'one' },
    { role: 'agent', text: 'answer' },
    { role: 'contact', text: 'two' },
    { role: 'contact', text: 'three' },
  ];
  let inbox = withMessage(emptyInbox, 0, 'one');
  inbox = withAllDue(withMessage(inbox, 2, 'two'));
  inbox = withMessage(inbox, 3, 'three');
  const batch = await readBatch(inbox, reader(lines));
  expect(batch.texts).toEqual(['one', 'two']);
  expect(withoutBatch(inbox, batch)).toEqual({ from: 3, count: 1, due: 0, size: 5 });
});

test('a batch of many short messages is read in few pages, and one long message does not read the others', async () => {
  const lines = Array.from({ length: 5_000 }, (): Line => ({
    role: 'contact',
    text: 'x'.repeat(999),
  }));
  let read = 0;
  const { texts } = await readBatch(inboxOf(lines), async (range) => {
    const page = await reader(lines)(range);
    read += page.length;
    return page;
  });
  expect(texts).toHaveLength(100);
  expect(read).toBeLessThan(110);
});

test('a transcript without the messages is reported as damaged', async () => {
  const lines: Line[] = [{ role: 'contact', text: 'one' }];
  const inbox = withAllDue(withMessage(inboxOf(lines), 1, 'two'));
  await expect(readBatch(inbox, reader(lines))).rejects.toMatchObject({ code: 'host/damaged' });
});

test('an inbox is full by number or by size, and never when it is empty', () => {
  const limits = { messages: 2, size: 10 };
  expect(isFull(emptyInbox, 'longer than the limit', limits)).toBe(false);
  const one = withMessage(emptyInbox, 0, 'x'.repeat(8));
  expect(isFull(one, 'xx', limits)).toBe(false);
  expect(isFull(one, 'xxx', limits)).toBe(true);
  expect(isFull(withMessage(one, 1, 'x'), 'x', limits)).toBe(true);
});
