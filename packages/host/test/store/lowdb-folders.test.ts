import { expect, test } from 'vitest';
import type { System } from '../../src/store/disk/system.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { SimulatedFiles, systemError } from '@dramaturg/testing';
import { randomNumbers, SimulatedProcess } from './simulated-machine.ts';

/** Faults that the simulation has found: npm run simulate. */

const record = { id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot: 1 };

function processOn(files: SimulatedFiles, pid: number): SimulatedProcess {
  return new SimulatedProcess(files, pid, randomNumbers(pid));
}

test('a store in new folders is there after a power cut', async () => {
  const files = new SimulatedFiles();
  const store = await lowdbStore('/one/two/store', { system: processOn(files, 1).system }).open(
    'the first',
  );
  await store.create(record);
  for (let seed = 1; seed <= 40; seed += 1) {
    const { system } = processOn(files.cut(randomNumbers(seed)), 2);
    const found = await lowdbStore('/one/two/store', { system }).open('the second');
    expect(await found.read('a')).toMatchObject({ revision: 1 });
  }
});

test('a former owner that compacts after a takeover does not create its folder again', async () => {
  const files = new SimulatedFiles();
  const { system } = processOn(files, 1);
  // It is frozen: its lock is not renewed, and it does not know how late it is.
  const frozen: System = {
    ...system,
    scheduler: { ...system.scheduler, now: () => 0, after: () => () => {} },
  };
  const former = await lowdbStore('/store', { system: frozen, onError: () => {} }).open('former');
  await former.create(record);
  const process = processOn(files, 2);
  // On another machine, where nobody can see whether the owner is alive.
  const elsewhere: System = {
    ...process.system,
    processes: { self: () => ({ pid: 2, host: 'elsewhere' }), isAlive: () => undefined },
  };
  const present = await lowdbStore('/store', { system: elsewhere }).open('present');
  await expect(former.compact()).rejects.toMatchObject({ name: 'StoreError' });
  await present.create({ ...record, id: 'b' });
  await present.close();
  const again = await lowdbStore('/store', { system: elsewhere }).open('again');
  expect((await again.list({}, { limit: 10 })).items.map(({ id }) => id)).toEqual(['a', 'b']);
});

test.each(['size', 'verify'] as const)(
  'a failing device fails %s with an error of the store',
  async (name) => {
    const files = new SimulatedFiles();
    const store = await lowdbStore('/store', { system: processOn(files, 1).system }).open('test');
    await store.create(record);
    files.before = (_, path) => {
      if (path !== '/store/owner.lock') throw systemError('EIO', path);
    };
    await expect(store[name]()).rejects.toMatchObject({ name: 'StoreError', code: 'store/failed' });
  },
);

test('a large record is written in parts, with turns for other work in between', async () => {
  const { system } = processOn(new SimulatedFiles(), 1);
  let yields = 0;
  const scheduler = {
    ...system.scheduler,
    yield: () => {
      yields += 1;
      return system.scheduler.yield();
    },
  };
  const store = await lowdbStore('/store', { system: { ...system, scheduler } }).open('one');
  const journal = Array.from({ length: 40_000 }, (_, index) => `${index} ${'x'.repeat(100)}`);
  await store.create({ ...record, journal });
  yields = 0;
  await store.compact();
  expect(yields).toBeGreaterThanOrEqual(20);
  expect(await store.journal('a', { from: 39_999, limit: 1 })).toEqual(journal.slice(-1));
  await store.close();
});

test('the lines of a record in a file that is as it was written are read in parts, and unchanged', async () => {
  const { system } = processOn(new SimulatedFiles(), 1);
  let yields = 0;
  const scheduler = {
    ...system.scheduler,
    yield: () => {
      yields += 1;
      return system.scheduler.yield();
    },
  };
  const location = lowdbStore('/store', { system: { ...system, scheduler } });
  const journal = Array.from(
    { length: 20_000 },
    (_, index) => `${index} é "\n" ${'x'.repeat(100)}`,
  );
  const written = await location.open('one');
  await written.create({ ...record, journal, snapshot: { text: 'a\n]\n  "journal": [' } });
  await written.compact();
  await written.close();
  yields = 0;
  const store = await location.open('two');
  expect(yields).toBeGreaterThanOrEqual(8);
  expect(await store.journal('a', { from: 0, limit: 3 })).toEqual(journal.slice(0, 3));
  expect(await store.journal('a', { from: 19_999, limit: 1 })).toEqual(journal.slice(-1));
  expect((await store.read('a'))?.snapshot).toEqual({ text: 'a\n]\n  "journal": [' });
  expect((await store.verify()).damaged).toEqual([]);
  await store.close();
});
