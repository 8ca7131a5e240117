/* oxlint-disable vitest/no-conditional-expect -- Which operation fails decides what is checked. */
import { expect } from 'vitest';
import type { Store } from '../../src/store/contract.ts';
import type { StoreError } from '../../src/store/errors.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { SimulatedFiles, systemError, linesInFeed } from '@dramaturg/testing';
import { randomNumbers, SimulatedProcess } from './simulated-machine.ts';

const whole = { from: 0, limit: 100 };

/** Writes to one record and compacts now and then. Returns the last revision that was acknowledged. */
async function work(store: Store, steps = 12): Promise<number> {
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
  for (let step = 0; step < steps; step += 1) {
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

/**
 * Fails one operation of a working store, and does so for each operation, or for each of some.
 *
 * @param stride fails every operation with 1
 * @returns how often an operation has failed
 */
export async function failOperations(code: string, stride: number, steps: number): Promise<number> {
  let failures = 0;
  for (let failing = 0, isOver = false; !isOver; failing += stride) {
    isOver = true;
    const files = new SimulatedFiles();
    const process = new SimulatedProcess(files, 1, randomNumbers(failing));
    const errors: StoreError[] = [];
    const place = lowdbStore('/store', {
      system: process.system,
      journalSize: 500,
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
    const revision = await work(store, steps);
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
  return failures;
}

/**
 * Fails one operation while a store is opened or closed, and does so for each operation, or for each of some.
 *
 * @returns how often the opening has failed
 */
export async function failOpenings(code: string, stride: number): Promise<number> {
  const sound = new SimulatedFiles();
  const first = new SimulatedProcess(sound, 1, randomNumbers(1));
  const store = await lowdbStore('/store', { system: first.system }).open('the first');
  await work(store);
  await store.close();
  first.kill();
  let failures = 0;
  for (let failing = 0, isOver = false; !isOver; failing += stride) {
    isOver = true;
    const files = sound.killed();
    let operations = 0;
    const process = new SimulatedProcess(files, 2, randomNumbers(failing));
    files.before = (operation, path) => {
      operations += 1;
      // The lock itself is tested with the lock.
      if (operations !== failing + 1 || path.includes('owner.lock')) return;
      isOver = false;
      throw systemError(code, `${operation} ${path}`);
    };
    const place = lowdbStore('/store', { system: process.system, onError: () => {} });
    const opened = await place.open('the second').catch((error: StoreError) => error.code);
    isOver &&= operations <= failing;
    if (typeof opened === 'string') {
      failures += 1;
      expect(opened).toMatch(/^store\/(full|failed|read-only)$/);
      files.before = () => {};
      expect(await files.list('/store')).not.toContain('owner.lock');
      const second = await place.open('the second, again');
      expect(await second.read('a')).toMatchObject({ revision: 12 });
      await second.close();
    } else {
      await opened.close().catch((error: StoreError) => expect(error.code).toMatch(/^store\//));
      files.before = () => {};
      expect(await files.list('/store')).not.toContain('owner.lock');
    }
    process.kill();
  }
  return failures;
}
