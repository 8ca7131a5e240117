import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { filesIn } from '../files-with.ts';
import { contentOf } from './compaction.ts';
import { aLetter, aRecord, type DiskFact } from './stage.ts';

export function backup(fact: DiskFact): void {
  fact('a backup is a store of the same kind with the same content', async (open, path, at) => {
    const store = await open();
    for (let index = 0; index < 30; index += 1) {
      const record = {
        id: `r${index}`,
        createdAt: index,
        outbox: [aLetter('e')],
        parts: [{ key: 'p', value: index }],
      };
      await store.create(aRecord({ ...record, journal: [index], transcript: ['hello'] }));
      await store.commit({ id: `r${index}`, expectedRevision: 1, snapshot: index });
    }
    await store.delete('r3');
    const before = await contentOf(store);
    await store.backup(`${path}.backup`);
    expect(await contentOf(store)).toEqual(before);
    const copy = await at(`${path}.backup`).open('the copy');
    onTestFinished(() => copy.close());
    expect(await contentOf(copy)).toEqual(before);
    expect(await copy.verify()).toEqual({ records: 29, lines: 58, damaged: [] });
    await copy.commit({ id: 'r0', expectedRevision: 2, status: 'GOES ON' });
    expect(await store.read('r0')).toMatchObject({ status: 'ACTIVE' });
  });

  fact('a backup has the state of one instant, while writes go on', async (open, path, at) => {
    const store = await open();
    await store.create(aRecord({ id: 'first' }));
    await store.create(aRecord({ id: 'second' }));
    const over = new AbortController();
    const write = async () => {
      for (let revision = 1; !over.signal.aborted; revision += 1) {
        await store.commit({ id: 'first', expectedRevision: revision, journal: [revision] });
        await store.commit({ id: 'second', expectedRevision: revision, journal: [revision] });
      }
    };
    const writing = write();
    for (let count = 0; count < 5; count += 1) {
      await store.backup(`${path}.${count}`);
      const copy = await at(`${path}.${count}`).read();
      const [first, second] = [(await copy.read('first'))!, (await copy.read('second'))!];
      // The second record is written after the first one.
      expect([0, 1]).toContain(first.revision - second.revision);
      expect(first.journalLength).toBe(first.revision - 1);
      expect((await copy.verify()).damaged).toEqual([]);
      await copy.close();
    }
    over.abort();
    await writing;
  });

  fact(
    'a backup is refused where something exists, which it does not change',
    async (open, path) => {
      const store = await open();
      await store.create(aRecord());
      await store.backup(`${path}.backup`);
      const files = filesIn(`${path}.backup`);
      await expect(store.backup(`${path}.backup`)).rejects.toMatchObject({ code: 'store/exists' });
      await expect(store.backup(path)).rejects.toMatchObject({ code: 'store/exists' });
      expect(filesIn(`${path}.backup`)).toEqual(files);
      for (const [link, end] of [`${path}.backup`, `${path}.nothing`].entries()) {
        symlinkSync(end, `${path}.link${link}`);
        await expect(store.backup(`${path}.link${link}`)).rejects.toMatchObject({
          code: 'store/exists',
        });
      }
      expect(existsSync(`${path}.nothing`)).toBe(false);
      await store.commit({ id: 'lunch-with-maria', expectedRevision: 1 });
    },
  );

  fact('a backup into the store itself is refused, and changes nothing', async (open, path) => {
    const store = await open();
    await store.create(aRecord());
    for (const target of [join(path, 'copy'), join(path, 'data', 'records', 'copy')])
      await expect(store.backup(target)).rejects.toMatchObject({
        code: 'store/bad-request',
        message: expect.stringContaining('Name a path outside of the store.'),
      });
    await store.commit({ id: 'lunch-with-maria', expectedRevision: 1 });
    expect((await store.verify()).damaged).toEqual([]);
  });
}
