import { expect } from 'vitest';
import { aLetter, aRecord, type DiskFact, filesWith, plantedTexts } from './stage.ts';
import type { NewRecord } from '@dramaturg/host/store';
import type { Store } from '@dramaturg/host';
import { feedOf } from './feed.ts';

const whole = { from: 0, limit: 10_000 };

export function compaction(fact: DiskFact): void {
  fact('no byte of a deleted record is in any file after a compaction', async (open, path) => {
    const texts = plantedTexts(990);
    const store = await open();
    await keepOthers(store);
    const ids: string[] = [];
    for (let at = 0; at < texts.length; at += 22) {
      const record = plantedRecord(texts.slice(at, at + 22));
      ids.push(record.id);
      await store.create(record);
      const change = { id: record.id, expectedRevision: 1, snapshot: texts[at + 21]! };
      await store.commit({ ...change, journal: [texts[at + 20]!] });
    }
    const before = await contentOf(store);
    const isOther = ({ id }: { readonly id: string }) => id.startsWith('other');
    const others = { found: before.found.filter(isOther), feed: before.feed.filter(isOther) };
    expect(Object.keys(filesWith(path, texts))).toHaveLength(990);
    for (const id of ids) await store.delete(id);
    await store.compact();
    expect(filesWith(path, texts)).toEqual({});
    expect(await contentOf(store)).toEqual(others);
    await store.close();
    expect(filesWith(path, texts)).toEqual({});
    const again = await open();
    expect(await contentOf(again)).toEqual(others);
    await again.close();
    expect(filesWith(path, texts)).toEqual({});
  });

  fact('no byte of a replaced value is in any file after a compaction', async (open, path) => {
    const texts = plantedTexts(100);
    const store = await open();
    await store.create(aRecord({ id: 'a', snapshot: texts[0]! }));
    for (const [index, text] of texts.entries()) {
      const change = { id: 'a', expectedRevision: index + 1, snapshot: text, status: text };
      const parts = { set: [{ key: 'p', value: text }] };
      await store.commit({ ...change, parts, timers: [{ key: text, at: index }] });
    }
    await store.commit({
      id: 'a',
      expectedRevision: 101,
      snapshot: 'kept',
      status: 's',
      parts: { removed: ['p'] },
      timers: [],
    });
    await store.compact();
    expect(filesWith(path, texts)).toEqual({});
    expect(await store.read('a')).toMatchObject({ snapshot: 'kept', revision: 102 });
  });

  fact('a compaction gives the space of deleted records back', async (open) => {
    const store = await open();
    await keepOthers(store);
    await store.compact();
    const before = await store.size();
    const line = 'x'.repeat(1_000);
    for (let index = 0; index < 40; index += 1) {
      const id = `large-${index}`;
      await store.create(aRecord({ id, journal: Array.from({ length: 100 }, () => line) }));
    }
    expect(await store.size()).toBeGreaterThan(before + 4_000_000);
    for (let index = 0; index < 40; index += 1) await store.delete(`large-${index}`);
    await store.compact();
    expect(await store.size()).toBeLessThan(before + 400_000);
  });

  fact('writes during a compaction are stored', async (open) => {
    const store = await open();
    await keepOthers(store);
    for (let index = 0; index < 50; index += 1)
      await store.create(aRecord({ id: `deleted-${index}`, journal: ['x'.repeat(10_000)] }));
    for (let index = 0; index < 50; index += 1) await store.delete(`deleted-${index}`);
    const over = new AbortController();
    const compacting = store.compact().finally(() => over.abort());
    await store.create(aRecord({ id: 'new' }));
    let revision = 1;
    do {
      await store.commit({ id: 'new', expectedRevision: revision, journal: [revision] });
      revision += 1;
    } while (!over.signal.aborted || revision < 20);
    await compacting;
    await store.close();
    const again = await open();
    expect(await again.read('new')).toMatchObject({ revision, journalLength: revision - 1 });
    const lines = await again.journal('new', whole);
    expect(lines).toEqual(Array.from({ length: revision - 1 }, (_, index) => index + 1));
  });

  fact(
    'several compactions at once, and one without anything to do, change nothing',
    async (open) => {
      const store = await open();
      await store.compact();
      await keepOthers(store);
      const before = await contentOf(store);
      await Promise.all([store.compact(), store.compact()]);
      await store.compact();
      expect(await contentOf(store)).toEqual(before);
    },
  );
}

/** A record with a text in each place that can have one. */
function plantedRecord(texts: readonly string[]): NewRecord {
  const [id = '', kind = '', contact = '', parent = '', name = '', version = '', ...more] = texts;
  return {
    id,
    kind,
    contact,
    parent,
    definition: { name, version },
    createdAt: 1_000,
    status: more[0]!,
    snapshot: { [more[1]!]: [more[2]!] },
    outbox: [aLetter(more[3]!, { text: more[4]! })],
    parts: [{ key: more[12]!, value: [more[13]!] }],
    timers: [{ key: more[5]!, at: 1 }],
    journal: [{ event: more[6]! }, more[7]!],
    transcript: [more[8]!, `"${more[9]!}\n`, more[10]!, more[11]!],
  };
}

async function keepOthers(store: Store): Promise<void> {
  for (let index = 0; index < 20; index += 1) {
    const id = `other-${index}`;
    const parts = [{ key: 'p', value: { index } }];
    const lines = { journal: [index, 'é'], transcript: [`hello ${index}`] };
    await store.create(aRecord({ id, createdAt: index, outbox: [aLetter('e')], parts, ...lines }));
    await store.commit({ id, expectedRevision: 1, snapshot: index, journal: ['second'] });
  }
}

/** The whole content of a store. */
export async function contentOf(
  store: Pick<Store, 'list' | 'read' | 'journal' | 'transcript' | 'feed'>,
) {
  const { items } = await store.list({}, { limit: 10_000 });
  const found = [];
  for (const { id } of items) {
    const record = await store.read(id);
    const [journal, transcript] = [
      await store.journal(id, whole),
      await store.transcript(id, whole),
    ];
    found.push({ id, record, journal, transcript });
  }
  return { found, feed: await feedOf(store) };
}
