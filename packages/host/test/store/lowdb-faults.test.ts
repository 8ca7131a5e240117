/* oxlint-disable vitest/no-conditional-expect -- Which operation fails decides what is checked. */
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/contract.ts';
import type { StoreError } from '../../src/store/errors.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { SimulatedFiles, systemError } from '../../src/testing/simulated-files.ts';
import { randomNumbers, SimulatedProcess } from './simulated-machine.ts';
import { linesInFeed } from '../../src/testing/store-contract/feed.ts';

const whole = { from: 0, limit: 100 };

/** Writes to one record and compacts now and then. Returns the last revision that was acknowledged. */
async function work(store: Store): Promise<number> {
  const accepted = async (write: Promise<unknown>) => {
    try {
      await write;
      return true;
    } catch (error) {
      expect(error).toMatchObject({
        code: expect.stringMatching(/^store\/(full|failed|read-only)$/),
      });
      return false;
    }
  };
  let revision = 0;
  for (let step = 0; step < 12; step += 1) {
    const next = { snapshot: revision + 1, journal: [revision + 1] };
    const record = { id: 'a', kind: 'k', createdAt: 1, status: 's', ...next };
    const write =
      revision === 0
        ? store.create(record)
        : store.commit({ id: 'a', expectedRevision: revision, ...next });
    if (await accepted(write)) revision += 1;
    if (step % 4 === 3) await accepted(store.compact());
    if (revision > 0) await accepted(store.journal('a', whole));
  }
  return revision;
}

test.each(['EIO', 'ENOSPC', 'EACCES'])(
  '%s in any operation loses no acknowledged write and damages no record',
  async (code) => {
    let failures = 0;
    for (let failing = 0, isOver = false; !isOver; failing += 1) {
      isOver = true;
      const files = new SimulatedFiles();
      const process = new SimulatedProcess(files, 1, randomNumbers(failing));
      const errors: StoreError[] = [];
      const place = lowdbStore('/store', {
        system: process.system,
        segmentSize: 500,
        onError: (error) => errors.push(error),
      });
      const store = await place.open('the test');
      let operations = 0;
      files.before = (operation, path) => {
        operations += 1;
        if (operations !== failing + 1) return;
        isOver = false;
        throw systemError(code, `${operation} ${path}`);
      };
      const revision = await work(store);
      expect(await store.damaged()).toEqual([]);
      await store.close().catch((error: StoreError) => errors.push(error));
      if (!isOver) failures += 1;
      process.kill();
      const again = new SimulatedProcess(files.killed(), 2, randomNumbers(failing));
      const reopened = await lowdbStore('/store', { system: again.system }).open('the test, again');
      const record = await reopened.read('a');
      // After `store/failed`, the outcome of a write is unknown.
      expect(record?.revision ?? 0).toBeGreaterThanOrEqual(revision);
      if (record !== undefined)
        expect(await reopened.journal('a', whole)).toEqual(
          Array.from({ length: record.revision }, (_, index) => index + 1),
        );
      expect((await linesInFeed(reopened)).get('a')).toBe(record?.revision);
      expect((await reopened.verify()).damaged).toEqual([]);
      await reopened.close();
      again.kill();
    }
    expect(failures).toBeGreaterThan(100);
  },
  120_000,
);

test('a failed opening lets go of its lock, whatever operation fails', async () => {
  const sound = new SimulatedFiles();
  const first = new SimulatedProcess(sound, 1, randomNumbers(1));
  const store = await lowdbStore('/store', { system: first.system }).open('the first');
  await work(store);
  await store.close();
  first.kill();
  let failures = 0;
  for (let failing = 0, isOver = false; !isOver; failing += 1) {
    isOver = true;
    const files = sound.killed();
    let operations = 0;
    const process = new SimulatedProcess(files, 2, randomNumbers(failing));
    files.before = (operation, path) => {
      operations += 1;
      // The lock itself is tested with the lock.
      if (operations !== failing + 1 || path.includes('owner.lock')) return;
      isOver = false;
      throw systemError('EIO', `${operation} ${path}`);
    };
    const place = lowdbStore('/store', { system: process.system, onError: () => {} });
    const opened = await place.open('the second').catch((error: StoreError) => error.code);
    isOver &&= operations <= failing;
    if (typeof opened === 'string') {
      failures += 1;
      expect(opened).toBe('store/failed');
      expect(await files.list('/store')).not.toContain('owner.lock');
      files.before = () => {};
      const second = await place.open('the second, again');
      expect(await second.read('a')).toMatchObject({ revision: 12 });
      await second.close();
    } else await opened.close();
    process.kill();
  }
  expect(failures).toBeGreaterThan(20);
}, 60_000);

test('an owner that was frozen before its write is fenced: it acknowledges nothing, and writes nothing', async () => {
  for (const operation of ['write', 'flush', 'stat', 'rename', 'remove', 'flushFolder'] as const) {
    for (const frozenAt of [1, 2, 3]) {
      const files = new SimulatedFiles();
      const frozen = new SimulatedProcess(files, 1, randomNumbers(1));
      const errors: string[] = [];
      const store = await lowdbStore('/store', {
        system: frozen.system,
        segmentSize: 300,
        onError: ({ code }) => errors.push(code),
      }).open('the frozen one');
      await store.create({
        id: 'a',
        kind: 'k',
        createdAt: 1,
        status: 's',
        snapshot: 1,
        journal: [1],
      });
      let wake = () => {};
      let count = 0;
      const hasFrozen = new Promise<void>((resolve) => {
        files.before = (name, path) => {
          if (name !== operation || path.includes('owner.lock')) return undefined;
          count += 1;
          if (count !== frozenAt) return undefined;
          resolve();
          return new Promise((goOn) => (wake = goOn));
        };
      });
      const outcome = (async () => {
        for (let revision = 1; revision < 20; revision += 1) {
          await store.commit({
            id: 'a',
            expectedRevision: revision,
            snapshot: 'old',
            journal: [revision + 1],
          });
          if (revision % 3 === 0) await store.compact();
        }
        return 'stored';
      })().catch(({ code }: StoreError) => code);
      const isFrozen = await Promise.race([hasFrozen.then(() => true), outcome.then(() => false)]);
      // The lock of an owner that cannot be checked was removed in the meantime.
      files.before = () => undefined;
      await files.remove('/store/owner.lock');
      const next = new SimulatedProcess(files, 2, randomNumbers(2));
      const second = await lowdbStore('/store', { system: next.system }).open('the next');
      const found = (await second.read('a'))!;
      await second.commit({
        id: 'a',
        expectedRevision: found.revision,
        snapshot: 'new',
        journal: ['new'],
      });
      wake();
      expect({ operation, frozenAt, isFrozen, outcome: await outcome }).toEqual({
        operation,
        frozenAt,
        isFrozen: true,
        outcome: 'store/lost',
      });
      await second.compact();
      const lines = await second.journal('a', whole);
      expect(lines).toEqual([
        ...Array.from({ length: found.revision }, (_, index) => index + 1),
        'new',
      ]);
      expect(await second.read('a')).toMatchObject({
        revision: found.revision + 1,
        snapshot: 'new',
      });
      expect((await linesInFeed(second)).get('a')).toBe(lines.length);
      expect((await second.verify()).damaged).toEqual([]);
      await second.close();
      frozen.kill();
      next.kill();
    }
  }
}, 60_000);
