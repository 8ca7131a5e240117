import { expect, test } from 'vitest';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { SimulatedFiles } from '../../src/testing/simulated-files.ts';
import { randomNumbers, SimulatedProcess } from './simulated-machine.ts';

test('the file of a large record is written anew when the log has much of the record', async () => {
  const files = new SimulatedFiles();
  const { system } = new SimulatedProcess(files, 1, randomNumbers(1));
  const store = await lowdbStore('/store', { system }).open('the test');
  const revisionInFile = async (): Promise<unknown> => {
    await system.scheduler.pause(10_000);
    const text = (await files.readFile('/store/data/records/a/record.json')).toString();
    return JSON.parse(text).revision;
  };
  const parts = [{ key: 'large', value: 'x'.repeat(100_000) }];
  const record = { id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot: 1, parts };
  await store.create(record);
  expect(await revisionInFile()).toBe(1);
  for (let revision = 1; revision < 20; revision += 1)
    await store.commit({ id: 'a', expectedRevision: revision, journal: ['y'.repeat(1_000)] });
  expect(await revisionInFile()).toBe(1);
  for (let revision = 20; revision < 30; revision += 1)
    await store.commit({ id: 'a', expectedRevision: revision, journal: ['y'.repeat(1_000)] });
  expect(await revisionInFile()).toBe(30);
  await store.commit({ id: 'a', expectedRevision: 30, snapshot: 2 });
  expect(await revisionInFile()).toBe(30);
  await store.compact();
  expect(await revisionInFile()).toBe(31);
  await store.close();
});
