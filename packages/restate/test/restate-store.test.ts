import { until } from '@dramaturg/testing';
import { sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { namesIn } from '../src/names.ts';
import { recordObject } from '../src/records/record-object.ts';
import { Admin } from '../src/restate/admin.ts';
import { HandlerServer } from '../src/restate/handler-server.ts';
import { Ingress } from '../src/restate/ingress.ts';
import { RestateStore } from '../src/reading/restate-store.ts';

const reason = whyNoRestate();

describe.skipIf(reason !== undefined)(`records in Restate${reason ? ` (${reason})` : ''}`, () => {
  let server: HandlerServer;
  let store: RestateStore;
  const names = namesIn('records');

  beforeAll(async () => {
    const { ingress, admin: url } = await sharedRestate();
    server = await HandlerServer.listen({ services: [recordObject(names.record)] }, {});
    const admin = new Admin(url);
    await admin.register(`http://127.0.0.1:${server.port}`);
    store = new RestateStore({ ingress: new Ingress(ingress), admin, names });
  });

  afterAll(() => server.close());

  const future = Date.now() + 86_400_000;
  const record = (id: string, more: object = {}) => ({
    id,
    kind: 'checkpoint',
    status: 'kept',
    createdAt: 1_000,
    snapshot: { of: id },
    ...more,
  });

  test('a record is read as it was written, and a change needs its revision', async () => {
    const id = 'checkpoint:a/b';
    const given = record(id, { timers: [{ key: 'expire', at: future }], parent: 'a' });
    expect(await store.create(given)).toMatchObject({ revision: 1 });
    await expect(store.create(given)).rejects.toMatchObject({ code: 'store/exists' });
    const change = { id, updatedAt: 2_000, status: 'expired', snapshot: null, timers: [] };
    await expect(store.commit({ ...change, expectedRevision: 2 })).rejects.toMatchObject({
      code: 'store/conflict',
    });
    await store.commit({ ...change, expectedRevision: 1 });
    expect(await store.read(id)).toEqual({
      ...record(id, { parent: 'a', status: 'expired', snapshot: null }),
      ended: false,
      revision: 2,
      updatedAt: 2_000,
      timers: [],
      parts: [],
      outbox: [],
      journalLength: 0,
      transcriptLength: 0,
    });
    expect(await store.delete(id)).toBe(true);
    expect([await store.read(id), await store.delete(id)]).toEqual([undefined, false]);
    await expect(store.commit({ ...change, expectedRevision: 2 })).rejects.toMatchObject({
      code: 'store/unknown',
    });
  });

  test('lists include each write at once, oldest first, in pages that overlap nowhere', async () => {
    const parent = 'paged';
    const ids: string[] = [];
    for (const [index, createdAt] of [3_000, 2_000.001, 2_000, 2_000, 10_000, 999].entries()) {
      const id = `checkpoint:${parent}/${9 - index}`;
      await store.create(record(id, { parent, createdAt }));
      const { items } = await store.list({ parent }, { limit: 10 });
      expect(items.map((item) => item.id)).toContain(id);
      ids.push(id);
    }
    const order = [5, 3, 2, 1, 0, 4].map((index) => ids[index]);
    const found: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await store.list({ parent }, { limit: 2, ...(after && { after }) });
      found.push(...page.items.map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    expect(found).toEqual(order);
  });

  test('every field of a filter counts, and any text in it is data', async () => {
    const contact = `o'hara" -- ; \\ 💥`;
    const definition = { name: 'chat @', version: '1' };
    await store.create(record('copy:one', { kind: 'copy', contact, definition, questions: 2 }));
    await store.create(record('copy:two', { kind: 'copy', contact, ended: true }));
    const ids = async (filter: object) =>
      (await store.list({ kind: 'copy', ...filter }, { limit: 10 })).items.map(({ id }) => id);
    expect(await ids({ contact })).toEqual(['copy:one', 'copy:two']);
    expect(await ids({ contact: `' or '1'='1` })).toEqual([]);
    expect(await ids({ contact, ended: true })).toEqual(['copy:two']);
    expect(await ids({ contact, asks: true })).toEqual(['copy:one']);
    expect(await ids({ contact, asks: false })).toEqual(['copy:two']);
    expect(await ids({ definition: { name: definition.name } })).toEqual(['copy:one']);
    expect(await ids({ definition })).toEqual(['copy:one']);
    expect(await ids({ definition: { ...definition, version: '2' } })).toEqual([]);
    expect(await ids({ status: 'gone' })).toEqual([]);
  });

  test('timers are listed earliest first', async () => {
    const at = [3, 1, 2].map((hours) => future + hours * 3_600_000);
    for (const [index, due] of at.entries())
      await store.create(
        record(`checkpoint:timed/${index}`, { timers: [{ key: 'expire', at: due }] }),
      );
    const due = await store.due(future + 2.5 * 3_600_000, 100);
    expect(
      due.filter(({ id }) => id.startsWith('checkpoint:timed')).map((each) => each.at),
    ).toEqual([at[1], at[2]]);
  });

  test('a closed store says so, and a backup says what to do instead', async () => {
    await expect(store.backup()).rejects.toThrow('configure snapshots');
    const { ingress, admin: url } = await sharedRestate();
    const other = new RestateStore({
      ingress: new Ingress(ingress),
      admin: new Admin(url),
      names,
    });
    await other.close();
    await expect(other.read('copy:one')).rejects.toMatchObject({ code: 'store/closed' });
  });
});

test.skipIf(reason !== undefined)('a save point that has expired loses its content', async () => {
  const { ingress, admin: url } = await sharedRestate();
  const names = namesIn(`expiring-${process.pid}`);
  const server = await HandlerServer.listen({ services: [recordObject(names.record)] }, {});
  const admin = new Admin(url);
  await admin.register(`http://127.0.0.1:${server.port}`);
  const store = new RestateStore({ ingress: new Ingress(ingress), admin, names });
  const id = 'checkpoint:a/soon';
  const timers = [{ key: 'expire', at: Date.now() + 50 }];
  const kept = { kind: 'checkpoint', status: 'kept', createdAt: 1_000, snapshot: { v: 1 } };
  await store.create({ id, ...kept, timers });
  const isExpired = async () => (await store.read(id))?.status === 'expired';
  await until(isExpired, 'the save point to expire');
  expect(await store.read(id)).toMatchObject({ snapshot: null, timers: [] });
  await server.close();
});
