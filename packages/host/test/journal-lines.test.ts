import type { Json } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { JournalLines, readJournal } from '../src/instance/journal-lines.ts';
import { memoryStore } from '../src/store/memory.ts';
import { Chance, randomValue, withRandomChange } from '@dramaturg/testing';

/** A journal in a store, and what was written to it. */
class StoredJournal {
  readonly lines: Json[] = [];
  /** The characters of the last write. */
  written = 0;
  readonly #store = memoryStore().open('the test');
  #revision = 0;
  #shorten = new JournalLines();

  async write(events: readonly unknown[], isUsed: (text: string) => boolean = () => true) {
    const store = await this.#store;
    const lines = events.map((event) => ({ at: 1, source: 'flow', event })) as unknown as Json[];
    this.lines.push(...(asStored(lines) as Json[]));
    const journal = this.#shorten.shorten(lines);
    this.written = JSON.stringify(journal).length;
    const committed =
      this.#revision === 0
        ? await store.create({
            id: 'a',
            kind: 'k',
            status: 's',
            createdAt: 1,
            snapshot: 0,
            journal,
          })
        : await store.commit({ id: 'a', expectedRevision: this.#revision, journal });
    this.#revision = committed.revision;
    this.#shorten.stored(committed.journalLength - lines.length, isUsed);
  }

  /** Adds a line that nothing was shortened for, as a delivery receipt does. */
  async receive(): Promise<void> {
    const store = await this.#store;
    const line = { at: 1, source: 'host', event: { type: 'message.delivered' } };
    this.lines.push(line);
    const journal = [line];
    ({ revision: this.#revision } = await store.commit({
      id: 'a',
      expectedRevision: this.#revision,
      journal,
    }));
  }

  /** Everything that is only in memory is lost. */
  restart(): void {
    this.#shorten = new JournalLines();
  }

  async read(from = 0, limit = 1_000): Promise<readonly Json[]> {
    return readJournal(await this.#store, 'a', { from, limit });
  }
}

const asStored = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
const large = (text = 'x') => Array.from({ length: 200 }, (_, index) => `${text} ${index} of 200`);

test.each([1, 2, 3, 4, 5, 6])('lines read back as they were written (seed %i)', async (seed) => {
  const chance = new Chance(seed);
  const journal = new StoredJournal();
  let data = { input: randomValue(chance, 5), other: randomValue(chance, 4) } as object;
  for (let step = 0; step < 40; step += 1) {
    const events: unknown[] = [];
    for (let count = chance.between(1, 4); count > 0; count -= 1) {
      events.push({ type: 'state.exited', output: data, repeats: 'data' });
      data = withRandomChange(chance, data);
    }
    await journal.write(events, () => chance.next() < 0.8);
    if (chance.next() < 0.2) await journal.receive();
    if (chance.next() < 0.1) journal.restart();
  }
  expect(JSON.stringify(await journal.read())).toBe(JSON.stringify(journal.lines));
  for (let from = 0; from < journal.lines.length; from += 7)
    expect(await journal.read(from, 5)).toEqual(journal.lines.slice(from, from + 5));
});

test('many names of one object are listed once for all lines that have it', () => {
  let listed = 0;
  const many = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [`n${index}`, index]),
  );
  const input = new Proxy(many, {
    ownKeys: (target) => {
      listed += 1;
      return Reflect.ownKeys(target);
    },
  }) as unknown as Json;
  const lines = Array.from({ length: 100 }, () => ({ event: { type: 'entered', input } }));
  expect(new JournalLines().shorten(lines)).toHaveLength(100);
  expect(listed).toBe(2);
});

describe('a large value is written once', () => {
  test('also in the same write, and within another value', async () => {
    const journal = new StoredJournal();
    const items = large();
    await journal.write([{ input: { items } }, { output: { items, count: 1 } }]);
    expect(journal.written).toBeLessThan(JSON.stringify(items).length + 300);
    for (let count = 2; count < 5; count += 1) {
      await journal.write([{ output: { items, count } }, { input: { items, count } }]);
      expect(journal.written).toBeLessThan(300);
      await journal.receive();
    }
    expect(await journal.read()).toEqual(journal.lines);
  });

  test('a text is remembered while it is used', async () => {
    const journal = new StoredJournal();
    const text = 'word '.repeat(1_000);
    await journal.write([{ text, count: 1 }]);
    await journal.write([{ text, count: 2 }], () => false);
    expect(journal.written).toBeLessThan(300);
    await journal.write([{ text, count: 3 }]);
    expect(journal.written).toBeGreaterThan(5_000);
    expect(await journal.read()).toEqual(journal.lines);
  });
});

test.each([
  ['a later line', [[['event'], 1, []]]],
  ['a line that does not exist', [[['event'], -7, []]]],
  ['a place that the line does not have', [[['event'], 0, ['event', 'none']]]],
  ['a place that it does not have itself', [[['none', 'of'], 0, ['at']]]],
])('a line that refers to %s is damaged', async (_, repeats) => {
  const store = await memoryStore().open('the test');
  const line = { at: 1, source: 'flow', event: null };
  const journal = [line, { ...line, repeats }] as Json[];
  await store.create({ id: 'a', kind: 'k', status: 's', createdAt: 1, snapshot: 0, journal });
  await expect(readJournal(store, 'a', { from: 0, limit: 9 })).rejects.toMatchObject({
    code: 'host/damaged',
    message: expect.stringContaining('Line 1'),
  });
});
