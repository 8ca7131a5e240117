import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Admin } from '../src/restate/admin.ts';

/** An admin API that answers with each of these, and with the last one from then on. */
async function adminOf(...answers: readonly (readonly [status: number, body: string])[]) {
  let asked = 0;
  const server = createServer((_, response) => {
    const [status, body] = answers[Math.min(asked, answers.length - 1)]!;
    asked += 1;
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { admin: new Admin(`http://127.0.0.1:${port}`), asked: () => asked };
}

test('a query that Restate fails while a partition changes its node is repeated', async () => {
  const failed = [500, 'Datafusion error: No such scanner'] as const;
  const { admin } = await adminOf(failed, failed, [200, JSON.stringify({ rows: [{ n: 1 }] })]);
  expect(await admin.query('select 1 n')).toEqual([{ n: 1 }]);
});

test('a query that Restate refuses is not repeated', async () => {
  const { admin, asked } = await adminOf([400, 'Syntax error']);
  await expect(admin.query('selekt')).rejects.toMatchObject({ code: 'host/bad-request' });
  expect(asked()).toBe(1);
});

test('a registration that Restate gives up, because others register at the same time, is repeated', async () => {
  const message =
    "internal error: retries for operation on key 'schema_registry' exhausted; last error: retry duration exceeded";
  const failed = [500, JSON.stringify({ message, restate_code: null })] as const;
  const { admin, asked } = await adminOf(failed, failed, [201, '{}']);
  await admin.register('http://127.0.0.1:9080');
  expect(asked()).toBe(3);
});

test('a registration that Restate refuses is not repeated', async () => {
  const { admin, asked } = await adminOf([400, 'No such address']);
  await expect(admin.register('http://127.0.0.1:9080')).rejects.toMatchObject({
    code: 'host/bad-request',
    message: 'Restate refused registering the handlers at http://127.0.0.1:9080: No such address',
  });
  expect(asked()).toBe(1);
});
