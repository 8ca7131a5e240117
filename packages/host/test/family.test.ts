import { expect, test } from 'vitest';
import { Eraser } from '../src/erasure/eraser.ts';
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

test('an erase deletes all records of its contact, and none of others', async () => {
  const store = await memoryStore().open('a test');
  for (const contact of ['ada', 'eve'])
    for (const kind of ['instance', 'copy', 'opt-out'])
      await store.create({
        id: kind === 'instance' ? contact : `host:${kind}/${contact}`,
        kind,
        contact,
        status: 'kept',
        ended: true,
        createdAt: 1,
        snapshot: {},
      });
  const eraser = new Eraser({ store, ports: {}, onError: () => {} });
  expect(await eraser.contact('ada', 'refuse')).toMatchObject({ instances: 1 });
  const { items } = await store.list({}, { limit: 10 });
  expect(items.map(({ id }) => id).toSorted()).toEqual([
    'eve',
    'host:copy/eve',
    'host:opt-out/eve',
  ]);
});
