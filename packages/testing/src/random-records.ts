import type { Json } from '@dramaturg/compiler';
import type { StoreLocation } from '@dramaturg/host';
import type { Attention, Letter, NewRecord, Part, Timer } from '@dramaturg/host/store';

/** Names with a special meaning in an object, a snapshot, or a journal line. */
const names = [
  'a',
  'b',
  'items',
  'places',
  'repeats',
  'value',
  '__proto__',
  'constructor',
  '0',
  '',
];

/** A value of JSON, small or large, deep or flat. */
export function randomValue(chance: Chance, depth: number): unknown {
  const kind = chance.next();
  if (depth === 0 || kind < 0.2)
    return chance.of([null, true, chance.between(-9, 9), 'x'.repeat(chance.between(0, 40))]);
  if (kind < 0.3) return `${chance.next()} `.repeat(chance.between(1, 200));
  if (kind < 0.32) return 'y'.repeat(70_000);
  if (kind < 0.4) return Array.from({ length: chance.between(1, 300) }, (_, index) => index);
  const count = chance.between(0, 5);
  const members = Array.from({ length: count }, () => randomValue(chance, depth - 1));
  if (kind < 0.65) return members;
  return Object.fromEntries(members.map((member) => [chance.of(names), member]));
}

/** A copy with another value in one place. Objects outside the path to it stay the same. */
export function withRandomChange(chance: Chance, whole: object): object {
  const keys = Object.keys(whole);
  const key = chance.of(keys.length > 0 ? keys : ['a']);
  const members = new Map(Object.entries(whole));
  const member = members.get(key) as unknown;
  const isDeep = typeof member === 'object' && member !== null && chance.next() < 0.8;
  const others = [...members.values()] as unknown[];
  const changed = isDeep
    ? withRandomChange(chance, member)
    : chance.next() < 0.3
      ? chance.of(others)
      : randomValue(chance, 3);
  members.set(key, changed);
  return Array.isArray(whole) ? [...members.values()] : Object.fromEntries(members);
}

const ids = ['a/b', '..', 'CON', 'é', '𝒳', 'x'.repeat(1_024), '__proto__', ' ', '%00', "'; --"];

/**
 * Writes random records into a store: with all fields of a record, with ids and values that have a special meaning in a path, a
 * query or an object, at different revisions, and with up to some hundred lines.
 *
 * @param count the number of records
 */
export async function fillAtRandom(
  place: StoreLocation,
  count: number,
  seed: number,
): Promise<void> {
  const chance = new Chance(seed);
  const store = await place.open('random records');
  try {
    for (let index = 0; index < count; index += 1) {
      const record = randomRecord(chance, ids[index] ?? `record-${index}`);
      await store.create(record);
      const commits = chance.of([0, 0, 1, 2, 5]);
      for (let revision = 1; revision <= commits; revision += 1) {
        await store.commit({
          id: record.id,
          expectedRevision: revision,
          ...(chance.next() < 0.5 ? { updatedAt: randomTime(chance) } : {}),
          ...(chance.next() < 0.5 ? { snapshot: value(chance) } : {}),
          ...(chance.next() < 0.5 ? { parts: { set: parts(chance), removed: ['part-1'] } } : {}),
          settled: ['letter-0'],
          effects: [{ id: `later-${revision}`, body: value(chance) }],
          journal: lines(chance),
          transcript: lines(chance),
        });
      }
      await store.acknowledge({ id: record.id, letter: 'letter-1', journal: [index] });
    }
  } finally {
    await store.close();
  }
}

function randomRecord(chance: Chance, id: string): NewRecord {
  const maybe = (fields: Partial<NewRecord>) => (chance.next() < 0.5 ? fields : {});
  return {
    id,
    kind: chance.of(['instance', 'contact', 'definition', 'checkpoint']),
    status: chance.of(['ACTIVE', 'WAITING', 'COMPLETED']),
    // Many records have the same time, so that their ids decide the order.
    createdAt: chance.between(1, 5),
    snapshot: value(chance),
    parts: parts(chance),
    timers: timers(chance),
    outbox: letters(chance),
    journal: lines(chance),
    transcript: lines(chance),
    questions: chance.of([0, 0, 1, 3]),
    attention: chance.of<Attention>([
      {},
      { queue: 'paused', since: randomTime(chance), owner: 'Ana Ñ "1"', actedAt: 7 },
      { queue: 'needsPerson', since: 2.5 },
      { actedAt: 3 },
    ]),
    ended: chance.next() < 0.3,
    ...maybe({ contact: chance.of(['ada', '+56 9 1234', 'ñandú']) }),
    ...maybe({ parent: chance.of(ids) }),
    ...maybe({ definition: { name: 'intake', version: chance.of(['1', '2']) } }),
  };
}

function value(chance: Chance): Json {
  return randomValue(chance, 3) as Json;
}

/** Milliseconds, with and without fractions, before and after 1970. */
function randomTime(chance: Chance): number {
  return chance.of([0, 1.5, -7, 1_763_000_000_123, chance.between(1, 1e12)]);
}

function many<Item>(chance: Chance, most: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: chance.between(0, most) }, (_, index) => item(index));
}

function parts(chance: Chance): Part[] {
  return many(chance, 3, (index) => ({ key: `part-${index}`, value: value(chance) }));
}

/** Timers in an order that is not that of their keys or times. */
function timers(chance: Chance): Timer[] {
  return many(chance, 3, (index) => ({ key: `timer-${9 - index}`, at: randomTime(chance) }));
}

function letters(chance: Chance): Letter[] {
  return many(chance, 3, (index) => ({ id: `letter-${index}`, body: value(chance) }));
}

/** Lines, sometimes more than a copy puts into one write. */
function lines(chance: Chance): Json[] {
  const most = chance.next() < 0.1 ? 900 : 4;
  return many(chance, most, (index) => (most > 4 ? index : value(chance)));
}

/** Random numbers that are the same for the same seed (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** Returns a whole number from 0, below the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }
}
