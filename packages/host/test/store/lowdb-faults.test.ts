import { expect, test } from 'vitest';
import type { StoreError } from '../../src/store/errors.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { SimulatedFiles, systemError, linesInFeed } from '@dramaturg/testing';
import { failOpenings, failOperations } from './failing-operations.ts';
import { randomNumbers, SimulatedProcess } from './simulated-machine.ts';

const whole = { from: 0, limit: 100 };

test.each(['EIO', 'ENOSPC', 'EACCES'])(
  '%s in any operation loses no acknowledged write and damages no record',
  async (code) => {
    expect(await failOperations(code, 7, 12)).toBeGreaterThan(20);
  },
);

test('a failed opening lets go of its lock, whatever operation fails', async () => {
  expect(await failOpenings('EIO', 2)).toBeGreaterThan(10);
});

test('an owner that was frozen before its write is fenced: it acknowledges nothing, and writes nothing', async () => {
  for (const operation of ['write', 'flush', 'stat', 'rename', 'remove', 'flushFolder'] as const) {
    for (const frozenAt of [1, 2, 3]) {
      const files = new SimulatedFiles();
      const frozen = new SimulatedProcess(files, 1, randomNumbers(1));
      const errors: string[] = [];
      const store = await lowdbStore('/store', {
        system: frozen.system,
        journalSize: 300,
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
});

test('a lock that cannot be removed while its store is released keeps nobody out of the store in this process', async () => {
  const files = new SimulatedFiles();
  const process = new SimulatedProcess(files, 1, randomNumbers(1));
  const place = lowdbStore('/store', { system: process.system, onError: () => {} });
  for (const isOpened of [false, true]) {
    let isFaulty = !isOpened;
    files.before = (operation, path) => {
      const isLock = path.endsWith('owner.lock') && operation !== 'link' && operation !== 'stat';
      if (isFaulty && (isLock || path.endsWith('manifest.json'))) throw systemError('EIO', path);
    };
    const failed = await (async () => {
      const store = await place.open('the first');
      isFaulty = true;
      await store.close();
    })().catch((error: StoreError) => error.code);
    expect(failed).toBe('store/failed');
    expect(await files.list('/store')).toContain('owner.lock');
    isFaulty = false;
    const second = await place.open('the second');
    await second.close();
    expect(await files.list('/store')).not.toContain('owner.lock');
  }
  process.kill();
});

test('after a power cut while records are folded, no file of a record has a write that the journal lost', async () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = randomNumbers(seed);
    const files = new SimulatedFiles();
    const process = new SimulatedProcess(files, 1, random);
    const place = lowdbStore('/store', { system: process.system, fsync: 'batch' });
    const store = await place.open('the first');
    // More than are written at the same time.
    const ids = Array.from({ length: 40 }, (_, index) => `record-${index}`);
    await Promise.all(
      ids.map((id) => store.create({ id, kind: 'k', createdAt: 1, status: 's', snapshot: 1 })),
    );
    await store.compact();
    for (const id of ids) await store.commit({ id, expectedRevision: 1 });
    let operations = Math.floor(random() * 300);
    const isCut = new Promise<void>((resolve) => {
      files.before = () => {
        operations -= 1;
        if (operations > 0) return undefined;
        resolve();
        return new Promise(() => {});
      };
    });
    const writing = (async () => {
      for (const id of ids.toReversed()) await store.commit({ id, expectedRevision: 2 });
    })();
    await Promise.race([isCut, Promise.all([store.compact(), writing])]);
    const after = files.cut(random);
    process.kill();
    const next = new SimulatedProcess(after, 2, random);
    const again = await lowdbStore('/store', { system: next.system }).open('the second');
    expect({ seed, ...(await again.verify()) }).toMatchObject({ seed, records: 40, damaged: [] });
    await again.close();
    next.kill();
  }
});
