import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { sharedPostgres } from '@dramaturg/test-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Database, placeOf } from '../src/connection/database.ts';
import { describeWithPostgres } from './place.ts';

describeWithPostgres('the connections to a busy server', () => {
  test('a read waits longer for the free connection than for a new one', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const timeouts = { connectMs: 500, answerMs: 10_000, retryMs: 0 };
    const database = new Database(placeOf(url), timeouts);
    onTestFinished(() => database.close());
    await database.read('SELECT 1');
    const slow = Array.from({ length: 3 }, () => database.read('SELECT pg_sleep(0.4)'));
    const waiting = await Promise.all([...slow, database.read('SELECT 1 AS one')]);
    expect(waiting.at(-1)).toEqual([{ one: 1 }]);
  });

  test('reads and writes have the same connection after a quiet hour', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = (await sharedPostgres()).createDatabase();
    const timeouts = { connectMs: 10_000, answerMs: 10_000, retryMs: 0 };
    const database = new Database(placeOf(url), timeouts);
    onTestFinished(() => database.close());
    const connections = async () => [
      await database.write('SELECT pg_backend_pid() AS connection'),
      await database.read('SELECT pg_backend_pid() AS connection'),
    ];
    const before = await connections();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(await connections()).toEqual(before);
  });

  test('a write prepares its statement, and does without when a pooler gives it another connection', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const timeouts = { connectMs: 5_000, answerMs: 10_000, retryMs: 0 };
    const database = new Database(placeOf(url), timeouts);
    onTestFinished(() => database.close());
    const prepared = () =>
      database.write(`SELECT count(*) AS count FROM pg_prepared_statements WHERE $1`, [true]);
    expect([await prepared(), await prepared()]).toEqual([[{ count: 1 }], [{ count: 1 }]]);
    // To the driver, the connection still has the statement.
    await database.write('DEALLOCATE ALL');
    expect([await prepared(), await prepared()]).toEqual([[{ count: 0 }], [{ count: 0 }]]);
  });
});

test('a server that accepts a connection and says nothing is given up after connectMs', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const timeouts = { connectMs: 200, answerMs: 60_000, retryMs: 0 };
  const database = new Database(placeOf(`postgres://nobody@127.0.0.1:${port}/x`), timeouts);
  await expect(database.read('SELECT 1')).rejects.toThrow(/timeout/);
  await database.close();
});
