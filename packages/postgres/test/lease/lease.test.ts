import { setTimeout as pause } from 'node:timers/promises';
import { PostgresServer, sharedPostgres, TcpProxy, whyNoPostgres } from '@dramaturg/test-servers';
import pg from 'pg';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { LeaseOptions, WaitOptions } from '../../src/lease/candidate.ts';
import { defaultTimes, type LeaseState } from '../../src/lease/holder.ts';
import { Lease } from '../../src/lease/lease.ts';

const reason = whyNoPostgres();

describe.skipIf(reason !== undefined)(
  `a lease${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    const held: Lease[] = [];
    afterEach(async () => {
      await Promise.all(held.splice(0).map((each) => each.release()));
    });

    async function acquire(options: LeaseOptions, wait?: WaitOptions): Promise<Lease> {
      const lease = await Lease.acquire(options, wait);
      held.push(lease);
      return lease;
    }

    test('belongs to one host at a time, and the refusal names it', async () => {
      const options = await aSchema();
      const first = await acquire({ ...options, owner: 'the first' });
      expect([first.token, first.isCertain()]).toEqual([1n, true]);
      const refused = await Lease.acquire({ ...options, owner: 'the second' }).catch(String);
      expect(refused).toMatch(
        /in use by "the first", process \d+ on ".+", since 20.+Z, last renewed at 20.+Z\. To wait for it/,
      );
      expect(refused).toContain(String(process.pid));
    });

    test('is free once it is released, and its token grows', async () => {
      const options = await aSchema();
      await (await acquire(options)).release();
      expect((await acquire(options)).token).toBe(2n);
    });

    test('is free once it is released, also when the database answers late', async () => {
      const options = await aSchema();
      const url = new URL(options.connection.connectionString!);
      const proxy = await TcpProxy.start({ port: Number(url.port) });
      onTestFinished(() => proxy.stop());
      url.port = String(proxy.port);
      const through = { connectionString: url.href };
      const times = { ...long, renewalMs: 60_000 };
      const lease = await acquire({ ...options, connection: through, times });
      proxy.delay(2 * long.answerMs);
      await lease.release();
      expect((await acquire(options)).token).toBe(2n);
    });

    test('is renewed while the host lives', async () => {
      const options = { ...(await aSchema()), times: long };
      const lease = await acquire(options);
      const renewals = new Set<string | undefined>();
      const renewedAt = async () =>
        /last renewed at (\S+Z)/.exec(
          await Lease.acquire(options).then(() => 'It was free.', String),
        )?.[1];
      await expect
        .poll(async () => renewals.add(await renewedAt()).size, { interval: long.renewalMs })
        .toBeGreaterThan(3);
      expect(renewals).not.toContain(undefined);
      expect(lease.isCertain()).toBe(true);
    });

    test('goes to a waiting host at once when it is released', async () => {
      const options = await aSchema();
      const first = await acquire({ ...options, owner: 'the first' });
      const waiting: unknown[] = [];
      const second = acquire(
        { ...options, owner: 'the second' },
        { onWaiting: ({ holder }) => waiting.push(holder?.owner) },
      );
      while (waiting.length === 0) await pause(10);
      await first.release();
      expect((await second).token).toBe(2n);
      expect(waiting).toEqual(['the first']);
    });

    test('goes to one of many waiting hosts', async () => {
      const options = { ...(await aSchema()), times: long };
      const first = await acquire(options);
      const isWaiting = new Set<number>();
      const waiting = Array.from({ length: 5 }, (_, index) => {
        const controller = new AbortController();
        const lease = acquire(
          { ...options, owner: `standby ${index}` },
          { signal: controller.signal, onWaiting: () => isWaiting.add(index) },
        );
        return { lease, controller };
      });
      const outcomes: (bigint | string)[] = [];
      for (const { lease } of waiting)
        lease.then(
          ({ token }) => outcomes.push(token),
          (error) => outcomes.push(String(error)),
        );
      await expect.poll(() => isWaiting.size).toBe(5);
      await first.release();
      await expect.poll(() => outcomes.length).toBeGreaterThan(0);
      for (let attempt = 0; attempt < 5; attempt += 1)
        await expect(Lease.acquire(options)).rejects.toMatchObject({ code: 'store/owned' });
      expect(outcomes).toEqual([2n]);
      for (const { controller } of waiting) controller.abort(new Error('enough'));
      await Promise.allSettled(waiting.map(({ lease }) => lease));
      expect(outcomes).toEqual([2n, ...Array.from({ length: 4 }, () => 'Error: enough')]);
    });

    test('goes to the waiting host that has the shortest delay', async () => {
      const options = await aSchema();
      const first = await acquire(options);
      const controller = new AbortController();
      const isWaiting = new Set<string>();
      const busy = acquire(options, {
        delayMs: () => 2_000,
        signal: controller.signal,
        onWaiting: () => isWaiting.add('busy'),
      });
      const idle = acquire(
        { ...options, owner: 'the idle one' },
        { delayMs: () => 0, onWaiting: () => isWaiting.add('idle') },
      );
      await expect.poll(() => isWaiting.size).toBe(2);
      await first.release();
      expect((await idle).token).toBe(2n);
      await (await idle).release();
      expect((await busy).token).toBe(3n);
    });

    test('of a silent host is taken when it has expired; the token then refuses its writes', async () => {
      const options = { ...(await aSchema()), times: { ...short, renewalMs: 60_000 } };
      const silent = await acquire({ ...options, owner: 'the silent one' });
      const next = await acquire({ ...options, owner: 'the next', times: short }, {});
      expect(next.token).toBe(2n);
      expect(silent.isCertain()).toBe(false);
      expect(await passes(options, silent)).toBe(false);
      expect(await passes(options, next)).toBe(true);
      await expect(silent.confirm()).rejects.toMatchObject({
        code: 'store/lost',
        message: expect.stringMatching(
          /^The store has been taken over by "the next", process \d+ on ".+", at 20.+ with the token 2\. This host \(token 1\) had not renewed its lease in time\. It writes and sends nothing more\.$/,
        ) as string,
      });
      expect(silent.lost.aborted).toBe(true);
    });

    test('of a silent host that nobody wants continues', async () => {
      const options = { ...(await aSchema()), times: { ...short, renewalMs: 60_000 } };
      const lease = await acquire(options);
      await expect.poll(() => lease.isCertain()).toBe(false);
      await lease.confirm();
      expect([lease.isCertain(), lease.lost.aborted]).toEqual([true, false]);
      expect(await passes(options, lease)).toBe(true);
    });

    test('that expired while the server was down goes to its holder, when that is back in time', async () => {
      const server = await PostgresServer.start();
      onTestFinished(() => server.stop());
      const { name, url } = server.createDatabase();
      const proxy = await TcpProxy.start({ port: server.port });
      onTestFinished(() => proxy.stop());
      const options = { schema: 'crashed', owner: 'a host' };
      const through = { connectionString: server.url(name, proxy.port) };
      const direct = { connectionString: url };
      const holder = await acquire({ ...options, connection: through });
      const states: LeaseState[] = [];
      const next = acquire(
        { ...options, connection: direct, owner: 'the next' },
        { onWaiting: (state) => states.push(state) },
      );
      let isTaken = false;
      void next.then(() => (isTaken = true));
      await expect.poll(() => states.length).toBe(1);
      proxy.refuse();
      await server.process.end('SIGKILL');
      await pause(defaultTimes.durationMs);
      await server.restart();
      // The next one finds an expired lease, and the holder cannot renew it yet.
      await pause(defaultTimes.durationMs / 2);
      expect(isTaken).toBe(false);
      proxy.pass();
      await holder.confirm();
      await pause(defaultTimes.durationMs);
      expect([isTaken, holder.isCertain()]).toEqual([false, true]);
    });

    test('whose holder and server crashed together is taken by a host that does not wait for others', async () => {
      const server = await PostgresServer.start();
      onTestFinished(() => server.stop());
      const connection = { connectionString: server.createDatabase().url };
      const options = { schema: 'crashed', owner: 'a host', connection, times: short };
      await acquire({ ...options, times: { ...short, renewalMs: 60_000 } });
      await server.process.end('SIGKILL');
      await pause(short.durationMs);
      await server.restart();
      expect((await acquire({ ...options, owner: 'the next' })).token).toBe(2n);
    });

    test('is not taken before a write of the last holder has ended', async () => {
      const options = { ...(await aSchema()), times: { ...short, renewalMs: 60_000 } };
      const silent = await acquire(options);
      const writer = await connected(options);
      await writer.query('BEGIN');
      await writer.query(silent.fence.text, [...silent.fence.values]);
      const next = acquire({ ...options, times: { ...short, durationMs: 5_000 } }, {});
      let isTaken = false;
      void next.then(() => (isTaken = true));
      await pause(short.durationMs + 500);
      expect(isTaken).toBe(false);
      await writer.query('COMMIT');
      expect((await next).token).toBe(2n);
    });

    test('of a new schema is created once by hosts that start together', async () => {
      const options = await aSchema();
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => acquire(options)));
      const codes = outcomes.map((each) =>
        each.status === 'fulfilled' ? 'held' : (each.reason as { code: string }).code,
      );
      expect(codes.toSorted()).toEqual(['held', ...Array.from({ length: 7 }, () => 'store/owned')]);
    });
  },
);

const short = { durationMs: 600, renewalMs: 150, marginMs: 100, answerMs: 200, pollMs: 200 };

/** A lease that does not expire on a busy machine. */
const long = { ...short, durationMs: 60_000 };

async function aSchema(): Promise<LeaseOptions> {
  const { url } = (await sharedPostgres()).createDatabase();
  return { connection: { connectionString: url }, schema: 'Büro "1"', owner: 'a test' };
}

async function connected({ connection }: LeaseOptions): Promise<pg.Client> {
  const client = new pg.Client(connection);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Whether a write with the token of a lease would pass. */
async function passes(options: LeaseOptions, { fence }: Lease): Promise<boolean> {
  const client = await connected(options);
  return (await client.query(fence.text, [...fence.values])).rowCount === 1;
}
