import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { filesIn } from '../files-with.ts';
import { contentOf } from './compaction.ts';
import { aLetter, aRecord, type DiskFact } from './stage.ts';

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
    const random = mulberry(7);
    for (let change = 0; change < changesMax * share; change += 1) {
      rmSync(path, { recursive: true });
      cpSync(`${path}.sound`, path, { recursive: true });
      const files = filesIn(path).filter((file) => readFileSync(file).length > 0);
      const file = files[Math.floor(random() * files.length)]!;
      const bytes = readFileSync(file);
      const at = Math.floor(random() * bytes.length);
      bytes[at] = bytes[at]! ^ (1 << Math.floor(random() * 8));
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

/** A small generator of random numbers with a seed. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.trunc(state + 0x6d_2b_79_f5);
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
