import { setTimeout as pause } from 'node:timers/promises';
import { PostgresServer } from '@dramaturg/test-servers';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../place.ts';
import { type Member, Troupe } from './troupe.ts';

/** How many faults of each kind. `TAKEOVER_FAULTS=20` measures the times. */
const faults = Number(process.env['TAKEOVER_FAULTS'] ?? 1);

/** The promise to users, in milliseconds. It is about an idle machine, so only a measurement requires it. */
const promisedMs = process.env['TAKEOVER_FAULTS'] === undefined ? Infinity : 5_000;

/** What happens to the active host. */
interface Fault {
  readonly begin: (active: Member) => void;
  /** Lets the host go on after the takeover. Times are milliseconds since 1970 UTC. */
  readonly end: (active: Member, takenAt: number, begunAt: number) => Promise<void> | void;
}

describeWithPostgres('a takeover', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());

  takenOver('of a host that was killed', 'SIGKILL', {
    begin: (active) => active.signal('SIGKILL'),
    end: (active) => active.spawn(),
  });

  takenOver(
    'of a host that was stalled, which then writes and sends nothing and waits',
    'SIGSTOP',
    {
      begin: (active) => active.signal('SIGSTOP'),
      end: async (active, takenAt) => {
        await pause(100);
        active.signal('SIGCONT');
        await active.line('lost', takenAt);
      },
    },
  );

  takenOver('of a host whose connections were cut', 'cut', {
    begin: ({ proxy }) => proxy.refuse(),
    end: reconnected,
  });

  takenOver('of a host whose connections became half-open', 'blackhole', {
    begin: ({ proxy }) => proxy.blackhole(),
    end: reconnected,
  });

  takenOver('of a host that stops', 'stop', {
    begin: (active) => active.signal('SIGTERM'),
    end: async (active, _, begunAt) => {
      await active.line('stopped', begunAt);
      active.spawn();
    },
  });

  /** Registers a test of a kind of fault. */
  function takenOver(name: string, kind: string, fault: Fault): void {
    test(
      // oxlint-disable-next-line vitest/valid-title -- The facts are named above.
      name,
      async () => {
        expect(await measure(kind, fault)).toBeLessThan(promisedMs);
      },
      timeoutOf(faults),
    );
  }

  test(
    'is not needed when only old connections are half-open: the host goes on with new ones',
    async () => {
      const { name: database } = server.createDatabase();
      const troupe = await Troupe.start(2, { server, database });
      onTestFinished(() => troupe.end());
      const active = await troupe.settled();
      await active.line('stored', active.role!.at);
      const begunAt = Date.now();
      active.proxy.blackhole({ newConnectionsPass: true });
      const stored = await active.line('stored', begunAt + 100);
      expect(stored.at - begunAt).toBeLessThan(promisedMs);
      expect(await troupe.settled()).toBe(active);
    },
    timeoutOf(1),
  );

  test(
    'comes soon after Postgres was killed and started again',
    async () => {
      const other = await PostgresServer.start();
      onTestFinished(() => other.stop());
      const { name: database, url } = other.createDatabase();
      const troupe = await Troupe.start(3, { server: other, database });
      onTestFinished(() => troupe.end());
      const tookMs: number[] = [];
      for (let count = 0; count < faults; count += 1) {
        const active = await troupe.settled();
        await active.line('stored', active.role!.at);
        await other.process.end('SIGKILL');
        // The lease of the host expires while Postgres is down, or not.
        await pause(count % 2 === 0 ? 100 : 4_000);
        await other.restart();
        const backAt = Date.now();
        const lines = troupe.members.map((each) => each.line('stored', backAt));
        tookMs.push((await Promise.race(lines)).at - backAt);
      }
      await troupe.settled();
      expect(report('Postgres was killed', tookMs)).toBeLessThan(promisedMs);
      const stored = storedBy(troupe);
      expect(await missingFrom(url, stored)).toEqual([]);
    },
    timeoutOf(faults),
  );

  async function measure(kind: string, fault: Fault): Promise<number> {
    const { name: database, url } = server.createDatabase();
    const troupe = await Troupe.start(2, { server, database });
    onTestFinished(() => troupe.end());
    const tookMs: number[] = [];
    for (let count = 0; count < faults; count += 1) {
      const active = await troupe.settled();
      await active.line('stored', active.role!.at);
      const begunAt = Date.now();
      fault.begin(active);
      const taken = await troupe.takeover(active, begunAt);
      await fault.end(active, taken.at, begunAt);
      tookMs.push(taken.at - begunAt);
      const records = await countOf(url, active.name);
      // While the next host works, the host before does nothing.
      await troupe.takeover(active, Date.now());
      expect(await countOf(url, active.name)).toBe(records);
      const late = troupe.deliveries.filter(({ by, at }) => by === active.name && at > taken.at);
      expect(late).toEqual([]);
    }
    await troupe.settled();
    for (const member of troupe.members) member.signal('SIGTERM');
    await troupe.ended();
    expect(await missingFrom(url, storedBy(troupe))).toEqual([]);
    return report(kind, tookMs);
  }
});

/** Lets the host reach Postgres again, where it finds that it has lost the store. */
async function reconnected(active: Member, takenAt: number): Promise<void> {
  active.proxy.pass();
  await active.line('lost', takenAt);
}

/** @returns the 99th percentile */
function report(kind: string, tookMs: readonly number[]): number {
  const times = tookMs.toSorted((one, other) => one - other);
  const at = (share: number) => times[Math.ceil(share * times.length) - 1]!;
  // oxlint-disable-next-line no-console -- The measurement is a result of the test.
  console.log(`takeover, ${kind}: ${times.length} faults, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  return at(0.99);
}

function storedBy({ members }: Troupe): string[] {
  return members.flatMap(({ lines }) =>
    lines.flatMap(({ type, id }) => (type === 'stored' ? [id!] : [])),
  );
}

function timeoutOf(count: number): number {
  return 300_000 + count * 20_000;
}

async function query<Row extends object>(
  url: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function countOf(url: string, name: string): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM dramaturg.records WHERE id LIKE '%' || $1 || '%'`;
  return (await query<{ count: number }>(url, text, [`${name}-`]))[0]!.count;
}

async function missingFrom(url: string, ids: readonly string[]): Promise<string[]> {
  const text = `SELECT id FROM unnest($1::text[]) AS wanted (id)
    WHERE NOT EXISTS (SELECT 1 FROM dramaturg.records r WHERE r.id LIKE '%' || wanted.id)`;
  return (await query<{ id: string }>(url, text, [ids])).map(({ id }) => id);
}
