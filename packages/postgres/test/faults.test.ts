import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@dramaturg/host';
import { PostgresServer, sharedPostgres, TcpProxy } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { postgresStore, type PostgresStoreOptions } from '../src/index.ts';
import { faultsOf, NumberedWriter } from './numbered.ts';
import { aRecord, describeWithPostgres, queryOf } from './place.ts';

describeWithPostgres('a store in Postgres, in trouble', () => {
  test('writes go on through cut connections, and each is stored once', async () => {
    const { store, proxy } = await behindProxy();
    const faults = await faultsAfter(store, async () => {
      for (let count = 0; count < 20; count += 1) {
        await pause(30);
        proxy.cut();
      }
    });
    expect(faults).toEqual([]);
  });

  test('a write whose answer is lost is stored once', async () => {
    const { store, proxy } = await behindProxy({ answerMs: 300 });
    const faults = await faultsAfter(store, async () => {
      for (let count = 0; count < 4; count += 1) {
        await pause(50);
        proxy.blackhole({ towards: ['client'], newConnectionsPass: true });
        await pause(500);
      }
    });
    expect(faults).toEqual([]);
  });

  test('a write that reaches the server by half is stored once', async () => {
    const { store, proxy } = await behindProxy();
    const faults = await faultsAfter(store, async () => {
      for (let count = 0; count < 20; count += 1) {
        await pause(30);
        proxy.halve();
        await pause(10);
        proxy.pass();
      }
    });
    expect(faults).toEqual([]);
  });

  test('a write that arrives late, after it was sent again, is refused', async () => {
    const { store, proxy } = await behindProxy({ answerMs: 2_000 });
    const writer = await NumberedWriter.create(store, 'a');
    proxy.hold();
    const writing = writer.write();
    await pause(2_500);
    // The server gets both at the same time.
    proxy.pass();
    await writing;
    await writer.write();
    expect(await writer.fault()).toBeUndefined();
  });

  test('connections that an administrator ends are replaced', async () => {
    const { store, query } = await behindProxy();
    const faults = await faultsAfter(store, async () => {
      for (let count = 0; count < 10; count += 1) {
        await pause(30);
        await query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
      }
    });
    expect(faults).toEqual([]);
  });

  test('while the server is out of reach writes reject, and nothing of them is stored', async () => {
    const { store, proxy } = await behindProxy({ retryMs: 2_000 });
    const writer = await NumberedWriter.create(store, 'a');
    proxy.refuse();
    await expect(writer.write()).rejects.toMatchObject({
      name: 'StoreError',
      code: 'store/failed',
      message: expect.stringContaining('Check that the server runs'),
    });
    await expect(store.read('a')).rejects.toMatchObject({ code: 'store/failed' });
    proxy.pass();
    await writer.write();
    expect(await writer.fault()).toBeUndefined();
  });

  test('reads go on through cut connections', async () => {
    const { store, proxy } = await behindProxy();
    const writer = await NumberedWriter.create(store, 'a');
    for (let count = 0; count < 10; count += 1) {
      await writer.write();
      proxy.cut();
      const reads = Promise.all([writer.fault(), store.list({}, { limit: 9 }), store.verify()]);
      const [fault, { items }, { damaged }] = await reads;
      expect([fault, items.length, damaged]).toEqual([undefined, 1, []]);
    }
  });

  test('a write that the server refuses does not affect those of its group', async () => {
    const { store, query } = await behindProxy();
    await query(`ALTER TABLE dramaturg.letters ADD CHECK (id <> 'poison')`);
    const ids = Array.from({ length: 20 }, (_, index) => `r${index}`);
    const writes = ids.map((id, index) =>
      store.create({
        id,
        kind: 'a',
        status: 'b',
        createdAt: 1,
        snapshot: 0,
        outbox: [{ id: index === 7 ? 'poison' : 'm', body: 1 }],
      }),
    );
    const outcomes = await Promise.allSettled(writes);
    const refused = outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
    expect(refused).toEqual([7]);
    expect(await store.read('r7')).toBeUndefined();
    expect((await store.list({}, { limit: 100 })).items).toHaveLength(19);
    expect((await store.verify()).damaged).toEqual([]);
  });

  test('a record that another program has changed is read again', async () => {
    const { store, query } = await behindProxy();
    const writer = await NumberedWriter.create(store, 'a');
    await query('UPDATE dramaturg.records SET revision = revision + 5, sum = NULL');
    await expect(writer.write()).rejects.toMatchObject({ code: 'store/conflict' });
    await store.commit({ id: 'a', expectedRevision: 6, status: 'GOES ON' });
    expect(await store.read('a')).toMatchObject({ revision: 7, status: 'GOES ON' });
  });

  test('no answered write is lost when the server is killed, however often', async () => {
    const server = await PostgresServer.start();
    onTestFinished(() => server.stop());
    const store = await opened(server.createDatabase().url, { retryMs: 60_000 });
    const faults = await faultsAfter(store, async () => {
      for (let count = 0; count < 5; count += 1) {
        await pause(50 + 100 * Math.random());
        await server.process.end('SIGKILL');
        await server.restart();
      }
    });
    expect(faults).toEqual([]);
    expect((await store.verify()).damaged).toEqual([]);
  });

  test('receipts that the server loses in a crash are stored again with the next write', async () => {
    // The lease notices nothing for now.
    const lease = { durationMs: 180_000, renewalMs: 60_000 };
    const { server, store, query, journal } = await loseReceipts({ lease });
    const stored = await query('SELECT count(*)::int FROM dramaturg.letters');
    expect(stored, 'the server lost both').toEqual([{ count: 3 }]);
    await store.commit({ id: 'b', expectedRevision: 1, status: 'GOES ON' });
    expect(await store.read('a')).toMatchObject({ outbox: [{ id: 'm3' }], journalLength: 1 });
    // What a flush has stored is not sent again.
    await server.process.end('SIGKILL');
    await server.restart();
    expect(await store.acknowledge({ id: 'a', letter: 'm1', journal })).toBeUndefined();
    expect((await store.verify()).damaged).toEqual([]);
  });

  test('receipts that the server loses in a crash are stored again after a write has failed', async () => {
    const lease = { durationMs: 180_000, renewalMs: 60_000 };
    const { server, store, query } = await loseReceipts({ lease, retryMs: 100 });
    await server.process.end('SIGKILL');
    const failed = { id: 'b', expectedRevision: 1, status: 'FAILS' };
    await expect(store.commit(failed)).rejects.toMatchObject({ code: 'store/failed' });
    await server.restart();
    await store.commit({ ...failed, status: 'GOES ON' });
    expect(await query('SELECT id FROM dramaturg.letters')).toEqual([{ id: 'm3' }]);
  });

  test('receipts that the server loses in a crash are stored again without a write', async () => {
    const { store, query, before } = await loseReceipts({});
    await expect.poll(() => query('SELECT id FROM dramaturg.letters')).toEqual([{ id: 'm3' }]);
    expect(await store.read('a')).toMatchObject({ outbox: [{ id: 'm3' }], journalLength: 1 });
    // A follower that had the event before the crash does not get it again.
    expect(before.entries).toHaveLength(1);
    expect(await store.feed({ after: 0, limit: 10 })).toEqual(before);
    const goesOn = { id: 'b', expectedRevision: 1, journal: [{ at: 2, event: 'goes on' }] };
    expect((await store.commit(goesOn)).position).toBe(before.last + 1);
  });
});

/** A store whose server was killed after two receipts that it had not flushed, and runs again. */
async function loseReceipts(options: PostgresStoreOptions) {
  const server = await PostgresServer.start();
  onTestFinished(() => server.stop());
  const { url } = server.createDatabase();
  const query = queryOf(url);
  const store = await opened(url, { retryMs: 60_000, ...options });
  const letters = ['m1', 'm2', 'm3'].map((id) => ({ id, body: 1 }));
  await store.create(aRecord({ id: 'a', outbox: letters }));
  await store.create(aRecord({ id: 'b' }));
  // The process that flushes what nobody waits for. The server kills it with the others.
  const [writer] = await query(`SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'`);
  process.kill((writer as { pid: number }).pid, 'SIGSTOP');
  const journal = [{ at: 1, event: 'delivered' }];
  await store.acknowledge({ id: 'a', letter: 'm1', journal });
  await store.acknowledge({ id: 'a', letter: 'm2' });
  const before = await store.feed({ after: 0, limit: 10 });
  await server.process.end('SIGKILL');
  await server.restart();
  return { server, store, query, journal, before };
}

const writersCount = 16;

/**
 * Writes to several records while something happens, and afterwards.
 *
 * @returns what is wrong then: each write that was answered has to be there once, in order
 */
async function faultsAfter(store: Store, happening: () => Promise<void>): Promise<string[]> {
  const writers = await NumberedWriter.createAll(store, writersCount);
  const over = new AbortController();
  const writing = Promise.all(writers.map((writer) => writer.writeUntil(over.signal)));
  try {
    await Promise.race([happening(), writing]);
    const before = writers.map(({ stored }) => stored);
    await expect
      .poll(() => writers.every(({ stored }, index) => stored > before[index]!))
      .toBe(true);
  } finally {
    over.abort();
  }
  await writing;
  return faultsOf(writers);
}

async function opened(url: string, options: PostgresStoreOptions): Promise<Store> {
  const store = await postgresStore(url, { retryMs: 20_000, ...options }).open('the test');
  onTestFinished(() => store.close());
  return store;
}

/** A store behind a proxy, and a way around it. */
async function behindProxy(options: PostgresStoreOptions = {}) {
  const server = await sharedPostgres();
  const { name, url } = server.createDatabase();
  const proxy = await TcpProxy.start({ port: server.port });
  onTestFinished(() => proxy.stop());
  const store = await opened(server.url(name, proxy.port), options);
  return { store, proxy, query: queryOf(url) };
}
