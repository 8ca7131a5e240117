import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { PostgresServer, RestateServer, whyNoPostgres, whyNoRestate } from '../src/index.ts';

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
});

function query(url: string, sql: string): string {
  const { stdout, stderr, status } = spawnSync('psql', ['-At', '-c', sql, url], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}
