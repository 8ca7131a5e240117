import type { Json } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { SnapshotParts, stateOf } from '../src/instance/snapshot-parts.ts';
import type { InstanceState } from '../src/instance/state.ts';
import { Chance, randomValue, withRandomChange } from '@dramaturg/testing';

/** A record as a store has it. */
class StoredRecord {
  snapshot: Json = null;
  readonly #parts = new Map<string, string>();
  /** The characters of the last write. */
  written = 0;

  write({ snapshot, parts }: ReturnType<SnapshotParts['divide']>): this {
    this.written = JSON.stringify({ snapshot, parts }).length;
    this.snapshot = JSON.parse(JSON.stringify(snapshot));
    for (const key of parts.removed)
      if (!this.#parts.delete(key)) throw new Error(`no part ${key}`);
    for (const { key, value } of parts.set) {
      if (this.#parts.has(key)) throw new Error(`the part ${key} is not new`);
      this.#parts.set(key, JSON.stringify(value));
    }
    return this;
  }

  get record() {
    const parts = Array.from(this.#parts, ([key, value]) => ({ key, value: JSON.parse(value) }));
    return { id: 'a', snapshot: structuredClone(this.snapshot), parts };
  }

  /** The keys that the snapshot and the parts refer to. */
  get used(): Set<string> {
    const values = [this.snapshot, ...this.record.parts.map(({ value }) => value as Json)];
    const places = values.flatMap(
      (value) => (value as { places?: [unknown, string][] }).places ?? [],
    );
    return new Set(places.map(([, key]) => key));
  }

  get keys(): Set<string> {
    return new Set(this.#parts.keys());
  }
}

function aState(input: unknown, flow: Json = null): InstanceState {
  return { input, flow, holds: false } as unknown as InstanceState;
}

const asStored = (state: unknown) => JSON.parse(JSON.stringify(state)) as unknown;
const large = (text = 'x') => Array.from({ length: 200 }, (_, index) => `${text} ${index} of 200`);

test.each([1, 2, 3, 4, 5, 6])('states read back as they were written (seed %i)', (seed) => {
  const chance = new Chance(seed);
  const stored = new StoredRecord();
  let parts = new SnapshotParts();
  let state = aState(randomValue(chance, 5));
  for (let step = 0; step < 60; step += 1) {
    stored.write(parts.divide(state));
    const { record } = stored;
    expect(stateOf(record)).toEqual(asStored(state));
    expect(JSON.stringify(stateOf(record))).toBe(JSON.stringify(state));
    expect(stored.keys).toEqual(stored.used);
    if (chance.next() < 0.2) ({ state, parts } = SnapshotParts.join(stored.record));
    state = withRandomChange(chance, state) as InstanceState;
  }
});

describe('a step writes what it has changed', () => {
  const stored = new StoredRecord();
  const items = Array.from({ length: 300 }, (_, index) => ({ index, data: large() }));
  const parts = new SnapshotParts();
  stored.write(parts.divide(aState({ items, count: 0 })));

  test('the rest is not written again', () => {
    expect(stored.written).toBeGreaterThan(800_000);
    for (let count = 1; count < 10; count += 1) {
      stored.write(parts.divide(aState({ items, count })));
      expect(stored.written).toBeLessThan(300);
    }
    expect(stateOf(stored.record)).toEqual(aState({ items, count: 9 }));
  });

  test('the first step after a restart neither', () => {
    const joined = SnapshotParts.join(stored.record);
    const { input } = joined.state as unknown as { input: { items: unknown } };
    stored.write(joined.parts.divide(aState({ ...input, count: 10 })));
    expect(stored.written).toBeLessThan(300);
    expect(stateOf(stored.record)).toEqual(aState({ items, count: 10 }));
  });
});

test('a list of large values is written without the values', () => {
  const [stored, parts] = [new StoredRecord(), new SnapshotParts()];
  const chunks: string[][] = [];
  for (let count = 0; count < 50; count += 1) {
    chunks.push(large(`chunk ${count}`));
    stored.write(parts.divide(aState([...chunks])));
    // The new chunk, the one that becomes a part because it stays, and references to the others.
    expect(stored.written).toBeLessThan(12_000);
  }
  expect(stateOf(stored.record)).toEqual(aState(chunks));
});

test('a large text is written once, also in an object that changes', () => {
  const [stored, parts] = [new StoredRecord(), new SnapshotParts()];
  const text = 'word '.repeat(1_000);
  for (const count of [0, 1]) stored.write(parts.divide(aState({ text, count })));
  for (const count of [2, 3, 4]) {
    stored.write(parts.divide(aState({ text, count })));
    expect(stored.written).toBeLessThan(300);
  }
  expect(stateOf(stored.record)).toEqual(aState({ text, count: 4 }));
  stored.write(parts.divide(aState({})));
  expect(stored.keys).toEqual(new Set());
});

test('a value that is shorter than a page stays in the snapshot, however often it is written', () => {
  const [stored, parts] = [new StoredRecord(), new SnapshotParts()];
  const seen = Array.from(
    { length: 32 },
    (_, index) => `${index} of 32 ids, of 36 characters each`,
  );
  for (const count of [0, 1, 2]) {
    stored.write(parts.divide(aState({ seen, count })));
    expect(stored.keys).toEqual(new Set());
  }
  expect(stateOf(stored.record)).toEqual(aState({ seen, count: 2 }));
});

test('a short part of an earlier release goes back into the snapshot', () => {
  const [stored, seen] = [new StoredRecord(), large().slice(0, 40)];
  const long = large('long');
  stored.write({
    snapshot: {
      ...aState({ seen: null, long: null }),
      places: [
        [['input', 'seen'], '1'],
        [['input', 'long'], '2'],
      ],
    } as unknown as Json,
    parts: {
      set: [
        { key: '1', value: { value: seen } },
        { key: '2', value: { value: [null, ...long], places: [[[0], '3']] } },
        { key: '3', value: { value: seen } },
      ],
      removed: [],
    },
  });
  const { state, parts } = SnapshotParts.join(stored.record);
  stored.write(parts.divide({ ...state, holds: true }));
  expect(stored.keys).toEqual(new Set(['2', '3']));
  expect(stateOf(stored.record)).toEqual({
    ...aState({ seen, long: [seen, ...long] }),
    holds: true,
  });
});

test('an object in several places is one part and one object', () => {
  const [stored, parts] = [new StoredRecord(), new SnapshotParts()];
  const shared = large();
  for (const flow of [1, 2]) stored.write(parts.divide(aState({ shared }, { flow, shared })));
  expect(stored.keys.size).toBe(1);
  const { input, flow } = stateOf(stored.record) as unknown as Record<string, { shared: unknown }>;
  expect(input!.shared).toEqual(shared);
  expect(flow!.shared).toBe(input!.shared);
});

test('parts that nothing uses are removed, also those of parts', () => {
  const [stored, parts] = [new StoredRecord(), new SnapshotParts()];
  const inner = large('inner');
  for (const round of [1, 2]) stored.write(parts.divide(aState({ inner, round })));
  const outer = { inner, others: large('outer') };
  for (const round of [1, 2]) stored.write(parts.divide(aState({ outer, round })));
  expect(stored.keys.size).toBe(2);
  stored.write(parts.divide(aState({ others: outer.others })));
  stored.write(parts.divide(aState({ none: true })));
  expect(stored.keys).toEqual(new Set());
  // It may come back.
  for (const round of [1, 2]) stored.write(parts.divide(aState({ outer, round })));
  expect(stateOf(stored.record)).toEqual(aState({ outer, round: 2 }));
});

test('H8 data that look like references are data', () => {
  const [stored, parts] = [new StoredRecord(), new SnapshotParts()];
  const hostile = JSON.parse(
    '{"places":[[["input"],"1"],[["__proto__"],"1"]],"__proto__":{"polluted":1},"value":null}',
  ) as Json;
  const data = { places: [[[], '1']], value: { __proto__: null, places: [[['x'], '9']] } };
  const input = [hostile, { ...data, hostile, list: [hostile, large()] }];
  for (const round of [1, 2, 3]) {
    const state = aState(input, { round, hostile });
    stored.write(parts.divide(state));
    expect(JSON.stringify(stateOf(stored.record))).toBe(JSON.stringify(state));
  }
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test.each([
  ['a part is missing', { places: [[['input'], '7']], input: null }, 'part "7" is missing'],
  ['a part has no place', { places: [[['a', 'b'], '1']], a: 5 }, 'part "1" has no place'],
  ['a place is no own property', { places: [[['toString'], '1']] }, 'part "1" has no place'],
  ['a part contains itself', { places: [[['input'], '2']], input: null }, 'part "2" is missing'],
  ['the snapshot is no object', null, 'It is not an object'],
])('%s: the state is damaged', (_, snapshot, reason) => {
  const parts = [
    { key: '1', value: { value: 'one' } },
    { key: '2', value: { value: [null], places: [[[0], '2']] } },
  ];
  expect(() => stateOf({ id: 'a', snapshot, parts })).toThrow(
    expect.objectContaining({ code: 'host/damaged', message: expect.stringContaining(reason) }),
  );
});
