import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { Chance } from '../random-records.ts';
import { aChange, aLetter, aRecord, type DiskFact, type Fact, filesIn } from './stage.ts';
import { contentOf } from './compaction.ts';

const changesMax = 150;

export function damage(fact: DiskFact, share: number): void {
  fact('a changed byte is found, or changes nothing that the store has', async (open, path) => {
    const store = await open();
    for (let index = 0; index < 10; index += 1) {
      const id = `record-${index}`;
      const parts = ['p', 'r'].map((key) => ({ key, value: `a part ${index}` }));
      const lines = { journal: [index, 'line '.repeat(20)], transcript: [`hello ${index}`] };
      await store.create(
        aRecord({ id, createdAt: index, outbox: [aLetter('e')], parts, ...lines }),
      );
      const change = { id, expectedRevision: 1, snapshot: { index }, journal: ['second'] };
      await store.commit({ ...change, parts: { set: [{ key: 'q', value: 2 }], removed: ['p'] } });
    }
    const before = await contentOf(store);
    await store.close();
    cpSync(path, `${path}.sound`, { recursive: true });
    const random = new Chance(7);
    for (let change = 0; change < changesMax * share; change += 1) {
      rmSync(path, { recursive: true });
      cpSync(`${path}.sound`, path, { recursive: true });
      const files = filesIn(path).filter((file) => readFileSync(file).length > 0);
      const file = random.of(files);
      const bytes = readFileSync(file);
      const at = random.below(bytes.length);
      bytes[at] = bytes[at]! ^ (1 << random.below(8));
      writeFileSync(file, bytes);
      const where = { file, at, change };
      expect({ ...where, found: await outcomeOf(open, before) }).toEqual({
        ...where,
        found: expect.stringMatching(/^(reported|unchanged)$/),
      });
    }
  });

  fact(
    'a verification reports each damaged record, and the others are served',
    async (open, path) => {
      const store = await open();
      for (const id of ['a', 'b', 'c'])
        await store.create(
          aRecord({
            id,
            parts: [{ key: 'p', value: `part of ${id}` }],
            journal: [`line of ${id}`],
          }),
        );
      await store.compact();
      await store.close();
      for (const text of ['part of a', 'line of b']) {
        for (const file of filesIn(path)) {
          const bytes = readFileSync(file);
          for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1))
            bytes[at] = 'x'.codePointAt(0)!;
          writeFileSync(file, bytes);
        }
      }
      const again = await open();
      const { damaged } = await again.verify();
      expect(damaged.map(({ id }) => id ?? '').toSorted(byText)).toEqual(['a', 'b']);
      for (const { reason, where } of damaged) expect([reason, where]).not.toContain('');
      expect(await again.read('c')).toMatchObject({ parts: [{ key: 'p', value: 'part of c' }] });
      await again.delete('a');
      expect((await again.verify()).damaged.map(({ id }) => id)).toEqual(['b']);
    },
  );
}

async function outcomeOf(
  open: () => ReturnType<Parameters<Parameters<DiskFact>[1]>[0]>,
  before: Awaited<ReturnType<typeof contentOf>>,
): Promise<string> {
  let store;
  try {
    store = await open();
  } catch (error) {
    return codeOf(error) === undefined ? `threw ${String(error)}` : 'reported';
  }
  try {
    const { damaged } = await store.verify();
    if (damaged.length > 0) return 'reported';
    expect(await contentOf(store)).toEqual(before);
    return 'unchanged';
  } catch (error) {
    return codeOf(error) === undefined ? String(error) : 'reported';
  } finally {
    await store.close();
  }
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('store/') ? code : undefined;
}

export function verification(fact: Fact): void {
  fact('a sound store is verified, with the numbers of its records and lines', async (store) => {
    expect(await store.verify()).toEqual({ records: 0, lines: 0, damaged: [] });
    await store.create(aRecord({ journal: [1, 2], transcript: ['a'] }));
    await store.commit(aChange({ journal: [3] }));
    await store.create(aRecord({ id: 'other' }));
    const before = await contentOf(store);
    const progress: [number, number][] = [];
    const found = await store.verify((done, all) => progress.push([done, all]));
    expect(found).toEqual({ records: 2, lines: 4, damaged: [] });
    for (const [done, all] of progress) expect(done).toBeLessThanOrEqual(all);
    expect(await contentOf(store)).toEqual(before);
  });

  fact('writes during a verification are no damage', async (store) => {
    for (let index = 0; index < 50; index += 1)
      await store.create(aRecord({ id: `r${index}`, journal: [index] }));
    const verifying = store.verify();
    for (let index = 0; index < 50; index += 1) {
      await store.commit({ id: `r${index}`, expectedRevision: 1, journal: ['later'] });
      if (index % 5 === 0) await store.delete(`r${index}`);
    }
    expect((await verifying).damaged).toEqual([]);
    expect(await store.verify()).toEqual({ records: 40, lines: 80, damaged: [] });
  });
}

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
