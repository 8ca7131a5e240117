import { expect, test } from 'vitest';
import { withDescendants } from '../src/erasure/family.ts';
import { memoryStore } from '../src/store/memory.ts';

test('the search for the descendants of an instance takes turns of the event loop', async () => {
  const store = await memoryStore().open('a test');
  const create = (id: string, parent?: string) =>
    store.create({
      id,
      kind: 'instance',
      status: 'running',
      createdAt: 1,
      snapshot: {},
      ...(parent && { parent }),
    });
  await create('root');
  for (let child = 0; child < 500; child += 1) await create(`child ${child}`, 'root');
  const { items } = await store.list({ kind: 'instance' }, { limit: 1_000 });
  let turns = 0;
  const ticking = new AbortController();
  const tick = () => {
    turns += 1;
    if (!ticking.signal.aborted) setImmediate(tick);
  };
  setImmediate(tick);
  const found = await withDescendants(
    store,
    items.filter(({ id }) => id === 'root'),
  );
  ticking.abort();
  expect(found).toHaveLength(501);
  expect(turns).toBeGreaterThan(5);
});
