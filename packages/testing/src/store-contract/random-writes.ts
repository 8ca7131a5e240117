import { expect } from 'vitest';
import type { Json } from '@dramaturg/compiler';
import type {
  Attention,
  Change,
  LineRange,
  NewLines,
  Part,
  StoreReader,
  StoreRecord,
  Timer,
} from '@dramaturg/host/store';
import { type Store, memoryStore } from '@dramaturg/host';
import { readLines } from '@dramaturg/host/engine';
import { Chance } from '../random-records.ts';
import { linesInFeed } from './feed.ts';
import { allOf, type Fact, reopened } from './stage.ts';

/**
 * Compares the store with the one in memory, which is a few lines of plain maps: both get the same thousand random writes, and
 * must give the same answers and have the same content at the end.
 */
export function randomWrites(fact: Fact, share: number): void {
  for (const seed of [1, 2, 3]) {
    fact(`random writes have the same result as in memory (seed ${seed})`, async (store, place) => {
      const model = await memoryStore().open('the model');
      const random = new Chance(seed);
      let tested = store;
      for (let round = 0; round < 20 * share; round += 1) {
        const revisions = await revisionsIn(model);
        const writes = Array.from({ length: 50 }, () => randomWrite(random, revisions));
        const answers = await Promise.all(writes.map((write) => answerOf(write(tested))));
        const expected = await Promise.all(writes.map((write) => answerOf(write(model))));
        expect(answers).toEqual(expected);
        if (random.below(4) === 0) {
          tested = await reopened(tested, place);
        }
      }
      expect(await everythingIn(tested)).toEqual(await everythingIn(model));
    });
  }
}

/** All data that can be read from a store, in an order that does not depend on the store. */
export async function everythingIn(store: StoreReader): Promise<unknown> {
  const listed = await allOf((after) => store.list({}, { limit: 10, ...after }));
  const summaries = listed.toSorted(byId);
  const records = await Promise.all(
    summaries.map(async ({ id }) => ({
      record: withSortedParts(await store.read(id)),
      journal: await allLines((range) => store.journal(id, range)),
      transcript: await allLines((range) => store.transcript(id, range)),
    })),
  );
  return {
    summaries,
    records,
    fed: [...(await linesInFeed(store))].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    due: (await store.due(Number.POSITIVE_INFINITY, 10_000)).toSorted(
      (one, other) => one.at - other.at || byId(one, other),
    ),
    asking: (await allOf((after) => store.list({ asks: true }, { limit: 3, ...after })))
      .map(({ id }) => id)
      .toSorted(),
    queued: await Promise.all(['queue-0', 'queue-1'].map((queue) => queuedIn(store, queue))),
    owned: (await allOf((after) => store.list({ owner: 'owner-0' }, { limit: 3, ...after })))
      .map(({ id }) => id)
      .toSorted(),
    acted: (await allOf((after) => store.list({ actedSince: 500 }, { limit: 3, ...after })))
      .map(({ id }) => id)
      .toSorted(),
    pending: (await allOf((after) => store.pending({ limit: 3, ...after }))).toSorted(),
  };
}

/** Stores order records of the same time in different ways. */
async function queuedIn(store: StoreReader, queue: string) {
  const found = await allOf((after) => store.list({ queue }, { limit: 2, ...after }));
  const times = found.map(({ attention }) => attention!.since!);
  return { times, ids: found.map(({ id }) => id).toSorted(), count: await store.count({ queue }) };
}

async function allLines(read: (range: LineRange) => Promise<readonly Json[]>): Promise<Json[]> {
  const lines: Json[] = [];
  for await (const page of readLines(read)) lines.push(...page);
  return lines;
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

/** The order of parts is not defined. */
function withSortedParts(record: StoreRecord | undefined): StoreRecord | undefined {
  return (
    record && {
      ...record,
      parts: record.parts.toSorted((one, other) => (one.key < other.key ? -1 : 1)),
    }
  );
}

async function revisionsIn(store: Store): Promise<Map<string, number>> {
  const { items } = await store.list({}, { limit: 100 });
  return new Map(items.map(({ id, revision }) => [id, revision]));
}

type RandomWrite = (store: Store) => Promise<unknown>;

/** @param revisions the revisions that the records will have by then, if every commit succeeds */
function randomWrite(random: Chance, revisions: Map<string, number>): RandomWrite {
  const id = `record-${random.below(12)}`;
  const letter = letterId(random);
  const lines = {
    ...(random.below(2) === 0 ? { journal: [random.below(1_000)] } : {}),
    ...(random.below(2) === 0 ? { transcript: [`line ${random.below(1_000)}`] } : {}),
  };
  switch (random.below(8)) {
    case 0:
      return createAtRandom(id, randomParts(random), lines);
    case 1:
    case 2:
      return (store) => store.acknowledge({ id, letter, ...lines });
    default: {
      const expectedRevision = revisions.get(id) ?? 1;
      revisions.set(id, expectedRevision + 1);
      const change: Change = { id, expectedRevision, ...lines, ...randomChange(random) };
      return (store) => store.commit(change);
    }
  }
}

function createAtRandom(id: string, parts: readonly Part[], lines: NewLines): RandomWrite {
  const record = { id, kind: 'a', status: 'b', createdAt: 1, snapshot: 0, parts, ...lines };
  return (store) => store.create(record);
}

function randomChange(random: Chance): Partial<Change> {
  return {
    ...(random.below(2) === 0 ? { updatedAt: random.below(1_000) } : {}),
    ...(random.below(2) === 0 ? { status: `status-${random.below(3)}` } : {}),
    ...(random.below(40) === 0 ? { ended: true } : {}),
    ...(random.below(2) === 0 ? { snapshot: 'x'.repeat(random.below(3_000)) } : {}),
    ...(random.below(2) === 0
      ? { parts: { set: randomParts(random), removed: [`part-${random.below(5)}`] } }
      : {}),
    ...(random.below(3) === 0 ? { timers: randomTimers(random) } : {}),
    ...(random.below(3) === 0 ? { questions: random.below(3) } : {}),
    ...(random.below(3) === 0 ? { attention: randomAttention(random) } : {}),
    ...(random.below(4) === 0 ? { settled: [letterId(random)] } : {}),
    ...(random.below(3) === 0
      ? { effects: [{ id: letterId(random), body: random.below(1_000) }] }
      : {}),
  };
}

/** Several records have waited equally long, so that their ids decide the order. */
function randomAttention(random: Chance): Attention {
  return {
    ...(random.below(2) === 0 ? { queue: `queue-${random.below(2)}`, since: random.below(3) } : {}),
    ...(random.below(3) === 0 ? { owner: `owner-${random.below(2)}` } : {}),
    ...(random.below(2) === 0 ? { actedAt: random.below(1_000) } : {}),
  };
}

function letterId(random: Chance): string {
  return `letter-${random.below(6)}`;
}

function randomParts(random: Chance): Part[] {
  const keys = new Set(Array.from({ length: random.below(4) }, () => `part-${random.below(5)}`));
  return Array.from(keys, (key) => ({ key, value: 'x'.repeat(random.below(3_000)) }));
}

function randomTimers(random: Chance): Timer[] {
  return Array.from({ length: random.below(4) }, (_, index) => ({
    key: `timer-${index}`,
    at: random.below(5),
  }));
}

/** The answer of a call: the value without positions, which each store counts in its own way, or the code of the error. */
async function answerOf(answer: Promise<unknown>): Promise<unknown> {
  try {
    const { position: _, previousPosition: __, ...rest } = Object((await answer) ?? {});
    return rest;
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
}
