import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import {
  PostgresServer,
  RestateCluster,
  RestateServer,
  whyNoPostgres,
  whyNoRestate,
} from '../src/index.ts';
import { endSharedRestate, sharedRestate } from '../src/restate.ts';

/** Enough for a busy machine, in milliseconds. */

describe.skipIf(whyNoPostgres() !== undefined)('a Postgres server', () => {
  test('keeps its data and its port when it is killed and started again', async () => {
    const server = await PostgresServer.start();
    try {
      const { url } = server.createDatabase();
      query(url, 'create table kept (value int); insert into kept values (42)');
      await server.process.end('SIGKILL');
      expect(server.process.isRunning).toBe(false);
      await server.restart();
      expect(query(url, 'select value from kept')).toBe('42');
    } finally {
      await server.stop();
    }
  });

  test('starts again although a process of the killed one still ends', async () => {
    const server = await PostgresServer.start();
    try {
      const session = spawn('psql', ['-At', '-c', 'select pg_sleep(60)', server.url()]);
      const sleeping = "select pid from pg_stat_activity where query ~ '^select pg_sleep'";
      await expect.poll(() => query(server.url(), sleeping)).toMatch(/^\d+$/);
      const backend = Number(query(server.url(), sleeping));
      process.kill(backend, 'SIGSTOP');
      process.kill(server.process.pid, 'SIGKILL');
      await expect.poll(() => server.process.isRunning).toBe(false);
      const restarted = server.restart();
      await pause(1_000);
      process.kill(backend, 'SIGKILL');
      session.kill('SIGKILL');
      await restarted;
      expect(query(server.url(), 'select 1')).toBe('1');
    } finally {
      await server.stop();
    }
  });

  test('stands still with its sessions while it is stopped by a signal', async () => {
    const server = await PostgresServer.start();
    try {
      const session = spawn('psql', ['-At', '-c', 'select pg_sleep(10)', server.url()]);
      const ended = once(session, 'exit');
      const sleeping = "select count(*) from pg_stat_activity where query ~ '^select pg_sleep'";
      await expect.poll(() => query(server.url(), sleeping)).toBe('1');
      server.process.signal('SIGSTOP');
      expect(await Promise.race([ended, pause(12_000, 'still waiting')])).toBe('still waiting');
      server.process.signal('SIGCONT');
      expect(await ended).toEqual([0, null]);
    } finally {
      await server.stop();
    }
  });
});

describe.skipIf(whyNoRestate() !== undefined)('a Restate server', () => {
  test('answers, and answers again after it was killed', async () => {
    const server = await RestateServer.start();
    try {
      expect((await fetch(`${server.admin}/health`)).status).toBe(200);
      await server.process.end('SIGKILL');
      await expect(fetch(`${server.admin}/health`)).rejects.toThrow('fetch failed');
      await server.restart();
      expect((await fetch(`${server.ingress}/restate/health`)).status).toBe(200);
    } finally {
      await server.stop();
    }
  });

  test('is shared until the file ends, and the next file gets another', async () => {
    const server = await sharedRestate();
    expect(await sharedRestate()).toBe(server);
    await endSharedRestate();
    expect(server.process.isRunning).toBe(false);
    expect((await fetch(`${(await sharedRestate()).admin}/health`)).status).toBe(200);
  });
});

describe.skipIf(whyNoRestate() !== undefined)('a Restate cluster', () => {
  test('answers while one of three nodes is killed, and takes it back', async () => {
    const cluster = await RestateCluster.start({ nodes: 3, replication: 2 });
    try {
      const [first, ...others] = cluster.nodes;
      await first!.process.end('SIGKILL');
      for (const node of others) expect(await invocationsOf(node)).toBe(0);
      await first!.restart();
      expect(await invocationsOf(first!)).toBe(0);
    } finally {
      await cluster.stop();
    }
  });
});

/** Needs the leaders of all partitions, wherever they are. Asks again while they are elected. */
async function invocationsOf({ admin }: RestateServer): Promise<number> {
  return vi.waitFor(
    async () => {
      const response = await fetch(`${admin}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ query: 'select count(*) as count from sys_invocation' }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      const { rows } = JSON.parse(text) as { readonly rows: readonly { readonly count: number }[] };
      return rows[0]!.count;
    },
    { timeout: 300_000, interval: 100 },
  );
}

function query(url: string, sql: string): string {
  const { stdout, stderr, status } = spawnSync('psql', ['-At', '-c', sql, url], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}
