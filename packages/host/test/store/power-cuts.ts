import { expect } from 'vitest';
import type { Store } from '../../src/store/contract.ts';
import type { FsyncMode } from '../../src/store/fsync.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { linesInFeed, SimulatedFiles } from '@dramaturg/testing';
import { randomNumbers, SimulatedProcess } from './simulated-machine.ts';

const range = { from: 0, limit: 10_000 };

/** A write that was called, in the order of the log. */
interface Called {
  readonly id: string;
  /** The revision after it; 0 when it deletes the record. */
  readonly revision: number;
  /** Counts the creations of this id. */
  readonly life: number;
  isAcknowledged: boolean;
  /** When it was called and acknowledged, by a counter of both. */
  readonly calledAt: number;
  acknowledgedAt: number;
}

let clock = 0;

function acknowledge(call: Called): void {
  call.isAcknowledged = true;
  clock += 1;
  call.acknowledgedAt = clock;
}

/** What the store may contain after a power cut: everything up to some write, at least all that was promised. */
class Expectation {
  readonly calls: Called[] = [];

  called(id: string, revision: number, life: number): Called {
    const calledAt = (clock += 1);
    const call = { id, revision, life, isAcknowledged: false, calledAt, acknowledgedAt: Infinity };
    this.calls.push(call);
    return call;
  }
}

async function work(
  store: Store,
  random: () => number,
  expectation: Expectation,
  lives: Map<string, number>,
  revisions: Map<string, number>,
) {
  const below = (limit: number) => Math.floor(random() * limit);
  const writer = async (own: number) => {
    for (let step = 0; step < 12; step += 1) {
      const id = `record-${own}-${below(2)}`;
      const revision = revisions.get(id) ?? 0;
      const life = lives.get(id) ?? 0;
      const fate = below(14);
      if (revision === 0) {
        const call = expectation.called(id, 1, life + 1);
        lives.set(id, life + 1);
        revisions.set(id, 1);
        await store.create({
          id,
          kind: 'k',
          createdAt: life + 1,
          status: 's',
          snapshot: 1,
          parts: [{ key: 'p1', value: 1 }],
          journal: [1],
          transcript: ['x'.repeat(below(60))],
          outbox: [{ id: 'e', body: 'hello' }],
        });
        acknowledge(call);
      } else if (fate === 0) {
        const call = expectation.called(id, 0, life);
        revisions.set(id, 0);
        await store.delete(id);
        acknowledge(call);
      } else if (fate === 1) await store.acknowledge({ id, letter: 'e' });
      else if (fate === 2) await store.compact();
      else {
        const call = expectation.called(id, revision + 1, life);
        revisions.set(id, revision + 1);
        await store.commit({
          id,
          expectedRevision: revision,
          snapshot: revision + 1,
          parts: {
            set: [{ key: `p${revision + 1}`, value: revision + 1 }],
            removed: [`p${revision}`],
          },
          journal: [revision + 1],
          timers: [{ key: 't', at: revision + 1 }],
        });
        acknowledge(call);
      }
    }
  };
  await Promise.all([1, 2, 3].map(writer));
}

/** Compares a store with what was promised before the power cut. Returns the revisions that it has. */
async function check(store: Store, mode: FsyncMode, calls: readonly Called[]) {
  expect(await store.damaged()).toEqual([]);
  const verification = await store.verify();
  expect(verification.damaged).toEqual([]);
  const found = new Map<string, { life: number; revision: number }>();
  for (const { id } of (await store.list({}, { limit: 1_000 })).items) {
    const record = (await store.read(id))!;
    const { createdAt: life, revision, snapshot, parts, timers, journalLength } = record;
    const lines = Array.from({ length: revision }, (_, index) => index + 1);
    expect({
      id,
      snapshot,
      parts,
      timers,
      journalLength,
      journal: await store.journal(id, range),
    }).toEqual({
      id,
      snapshot: revision,
      parts: [{ key: `p${revision}`, value: revision }],
      timers: revision === 1 ? [] : [{ key: 't', at: revision }],
      journalLength: revision,
      journal: lines,
    });
    expect((await store.transcript(id, range)).length).toBe(1);
    found.set(id, { life, revision });
  }
  const lengths = Array.from(found, ([id, { revision }]) => [id, revision] as const);
  expect(await linesInFeed(store)).toEqual(new Map(lengths));
  /** How far the calls of each record took effect, by the index of the call. */
  const survived = (call: Called) => {
    const { life = 0, revision = 0 } = found.get(call.id) ?? {};
    if (life !== call.life) return life > call.life || (life === 0 && isLastDeleted(call, calls));
    return call.revision !== 0 && call.revision <= revision;
  };
  // No write is kept without those that were acknowledged before it was called.
  const kept = calls.filter((call) => call.revision !== 0 && isInFound(call, found));
  const latest = kept.reduce((most, call) => Math.max(most, call.calledAt), 0);
  const skipped = calls.filter((call) => call.acknowledgedAt < latest && !survived(call));
  expect(skipped).toEqual([]);
  if (mode === 'always') {
    const lost = calls.filter((call) => call.isAcknowledged && !survived(call));
    expect(lost).toEqual([]);
  }
  return found;
}

function isInFound(
  { id, life, revision }: Called,
  found: ReadonlyMap<string, { life: number; revision: number }>,
): boolean {
  const record = found.get(id);
  return record !== undefined && record.life === life && revision <= record.revision;
}

/** A missing record may be right: its deletion was called. */
function isLastDeleted(call: Called, calls: readonly Called[]): boolean {
  return calls.some(
    (other) => other.id === call.id && other.life === call.life && other.revision === 0,
  );
}

/** Cuts the power of a store four times, or kills its process, and checks what it has after each. */
export async function cutAgainAndAgain(seed: number, mode: FsyncMode): Promise<void> {
  const random = randomNumbers(seed);
  let files = new SimulatedFiles();
  let calls: Called[] = [];
  for (let life = 1; life <= 4; life += 1) {
    const process = new SimulatedProcess(files, life, random);
    const place = lowdbStore('/store', {
      system: process.system,
      fsync: mode,
      journalSize: 400 + Math.floor(random() * 3_000),
      onError: (error) => {
        throw error;
      },
    });
    let operations = Math.floor(random() * (life === 1 ? 400 : 250));
    const isOver = new Promise<void>((resolve) => {
      files.before = () => {
        operations -= 1;
        if (operations > 0) return undefined;
        resolve();
        return new Promise(() => {});
      };
    });
    const living = (async () => {
      const store = await place.open('the test');
      const found = await check(store, mode, calls);
      calls = calls.filter(({ id, life: born, revision }) => {
        const record = found.get(id);
        return (
          record !== undefined &&
          record.life === born &&
          revision !== 0 &&
          revision <= record.revision
        );
      });
      const lives = new Map(Array.from(found, ([id, record]) => [id, record.life]));
      for (const call of calls) call.isAcknowledged = mode === 'always';
      const revisions = new Map(Array.from(found, ([id, { revision }]) => [id, revision]));
      const expectation = new Expectation();
      expectation.calls.push(...calls);
      calls = expectation.calls;
      await work(store, random, expectation, lives, revisions);
      await store.close();
    })();
    await Promise.race([isOver, living]);
    const after = random() < 0.4 ? files.killed() : files.cut(random);
    process.kill();
    files = after;
  }
  const last = new SimulatedProcess(files, 99, random);
  const store = await lowdbStore('/store', { system: last.system }).open('the test, at last');
  await check(store, mode, calls);
  await store.close();
  last.kill();
}
