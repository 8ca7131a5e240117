import { type AddressInfo, connect, createServer } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { once } from 'node:events';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { mcpRoute } from 'dramaturg/mcp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { served } from './stage.ts';

test('the first message of a contact starts a conversation, and of two at once one starts it', async () => {
  const { ask, host } = await served();
  const message = (id: string) => ({
    contact: 'ada',
    text: 'Hi',
    id,
    orStart: { definition: 'intake' },
  });
  const [one, other] = await Promise.all([
    ask('POST', '/messages', message('m-1')),
    ask('POST', '/messages', message('m-2')),
  ]);
  expect([one.status, other.status]).toEqual([200, 200]);
  expect(one.body.instance).toBe(other.body.instance);
  // The answer was lost: the message is sent again.
  const again = await ask('POST', '/messages', message('m-1'));
  expect(again).toMatchObject({
    status: 200,
    body: { instance: one.body.instance, accepted: true, repeated: true },
  });
  const { items } = await host.list({}, { limit: 10 });
  expect(items).toHaveLength(1);
  await host.settle();
  const lines = await host.transcript(one.body.instance, { from: 0, limit: 10 });
  expect(lines.filter(({ role }) => role === 'contact')).toHaveLength(2);
});

test('the time and the quoted message of the provider reach the instance', async () => {
  const { ask, host } = await served();
  const first = { contact: 'ada', text: 'Hi', orStart: { definition: 'intake' } };
  const { instance } = (await ask('POST', '/messages', first)).body;
  await host.settle();
  const quoting = { contact: 'ada', text: 'Acme', sentAt: 1_700_000_000_000, replyTo: 'question' };
  expect(await ask('POST', '/messages', quoting)).toMatchObject({ status: 200 });
  const journal = JSON.stringify(await host.journal(instance, { from: 0, limit: 1_000 }));
  expect(journal).toContain('"sentAt":1700000000000');
  expect(journal).toContain('"replyTo":"question"');
});

test('a message by hand with an idempotency key is written once', async () => {
  const { ask, host } = await served();
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.settle();
  const write = (text: string) =>
    ask('POST', '/instances/a/intervene', { text, by: 'ana' }, { 'idempotency-key': 'k-1' });
  for (let times = 0; times < 2; times += 1)
    expect(await write('A moment.')).toMatchObject({ status: 200, body: { accepted: true } });
  expect(await write('Other.')).toMatchObject({
    status: 409,
    body: { code: 'message/other-content' },
  });
  const lines = await host.transcript('a', { from: 0, limit: 10 });
  expect(lines.filter(({ role }) => role === 'manual')).toHaveLength(1);
});

test('an idempotency key with another body is a conflict, over HTTP and over MCP', async () => {
  const { ask, host, url } = await served({ mount: mcpRoute() });
  const message = { contact: 'ada', text: 'Hi', orStart: { definition: 'intake' } };
  const key = { 'idempotency-key': `"k-${'1'.repeat(150)}"` };
  expect(await ask('POST', '/messages', message, key)).toMatchObject({ status: 200 });
  for (const other of [
    { ...message, text: 'Bye' },
    { ...message, data: { page: 2 } },
  ])
    expect(await ask('POST', '/messages', other, key)).toMatchObject({
      status: 409,
      body: { code: 'message/other-content' },
    });
  expect(await ask('POST', '/messages', message, key)).toMatchObject({ body: { repeated: true } });

  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const said = async (text: string) => {
    const given = { contact: 'bob', message: text, key: 'k-1' };
    const { content } = await client.callTool({ name: 'start_intake', arguments: given });
    return JSON.stringify(content);
  };
  expect(await said('Hi')).toContain('replies');
  expect(await said('Bye')).toContain('message/other-content');
  await client.close();
  const { items } = await host.list({}, { limit: 10 });
  for (const { id } of items) {
    const lines = await host.transcript(id, { from: 0, limit: 100 });
    expect(lines.filter(({ role }) => role === 'contact').map(({ text }) => text)).toEqual(['Hi']);
  }
});

test('a start with an idempotency key starts one instance', async () => {
  const { ask, host } = await served();
  const order = { definition: 'intake', contact: 'ada' };
  const key = { 'idempotency-key': '"k-1"' };
  const answers = await Promise.all([1, 2, 3].map(() => ask('POST', '/instances', order, key)));
  expect(answers.map(({ status, body }) => [status, body.id])).toEqual([
    [201, 'k-1'],
    [201, 'k-1'],
    [201, 'k-1'],
  ]);
  expect((await host.list({}, { limit: 10 })).items).toHaveLength(1);
  const other = await ask('POST', '/instances', { ...order, contact: 'bob' }, key);
  expect(other).toMatchObject({ status: 409, body: { code: 'host/exists' } });
  const differing = { contact: 'ada', text: 'Hi', id: 'm-1' };
  expect(await ask('POST', '/messages', differing, { 'idempotency-key': 'm-2' })).toMatchObject({
    status: 400,
    body: { code: 'request/invalid', hint: expect.any(String) },
  });
});

describe('a wrong request is answered with the path of each mistake', () => {
  const cases: [name: string, method: string, path: string, body: unknown, errors: string[]][] = [
    ['a misspelt field', 'POST', '/instances', { definition: 'intake', contct: 'a' }, ['/contct']],
    ['a wrong type', 'POST', '/messages', { contact: 1, text: [] }, ['/contact', '/text']],
    [
      'a field inside',
      'POST',
      '/messages',
      { contact: 'a', text: 'b', orStart: { definition: 'intake', chanel: 'x' } },
      ['/orStart/chanel'],
    ],
    ['a query', 'GET', '/instances?limit=many&wher=1', undefined, ['/limit', '/wher']],
    ['a name that a pointer escapes', 'POST', '/instances/a/cancel', { 'a/b~c': 1 }, ['/a~1b~0c']],
  ];
  test.each(cases)('%s', async (_, method, path, body, errors) => {
    const { ask } = await served();
    const answered = await ask(method, path, body);
    expect(answered).toMatchObject({
      status: 400,
      type: 'application/problem+json',
      body: { code: 'request/invalid', status: 400, title: 'Bad Request' },
    });
    expect(answered.body.errors.map(({ path: at }) => at)).toEqual(errors);
  });
});

test('the input of a workflow is what its author wrote, and an unknown input of a conversation is refused', async () => {
  const { ask, host } = await served();
  const started = await ask('POST', '/instances', { definition: 'order', input: { order: 7 } });
  expect(started.status).toBe(201);
  expect((await host.get(started.body.id)).input).toEqual({ order: 7 });
  const refused = await ask('POST', '/instances', {
    definition: 'intake',
    input: { colour: 'red' },
  });
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: '/input' }] } });
});

test.each([
  ['9007199254740993', '9007199254740992'],
  ['12345678901234567890', '12345678901234567000'],
])('the integer %s, which would lose digits, is refused', async (given, changed) => {
  const { url, host } = await served();
  const send = (order: string) =>
    fetch(`${url}/instances`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"definition": "order", "input": {"order": ${order}}}`,
    });
  const refused = await send(given);
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    {
      code: 'request/invalid',
      detail: expect.stringContaining(`${given} would become ${changed}`),
    },
  ]);
  const { id } = (await (await send('-9007199254740991')).json()) as { id: string };
  expect((await host.get(id)).input).toEqual({ order: -9_007_199_254_740_991 });
  expect((await send(`["\\"${given}", 0.${given}, 1e300]`)).status).toBe(201);
});

test('a long answer is the same as a short one', async () => {
  const { ask } = await served();
  const input = {
    texts: Array.from({ length: 3_000 }, (_, index) => `${index} "é" \n words`),
    none: [],
  };
  const { body } = await ask('POST', '/instances', { definition: 'order', input });
  const long = await ask('GET', `/instances/${body.id}`);
  expect(long).toMatchObject({ status: 200, type: 'application/json' });
  expect((long.body as { input?: unknown }).input).toEqual(input);
});

test('what was collected, what waits and what came of it are in lists and instances', async () => {
  const { ask, host } = await served();
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.settle();
  await host.receive({ contact: 'ada', text: 'Ada Byron' });
  await host.settle();
  const collected = { customer_name: 'Ada Byron' };
  expect((await ask('GET', '/instances/a')).body).toMatchObject({ collected });
  const { items } = (await ask('GET', '/instances?details=true')).body;
  expect(items).toMatchObject([{ id: 'a', collected, waits: [{ for: 'message' }, {}, {}] }]);
  expect((await ask('GET', '/instances?asks=true')).body.items).toEqual([]);
  expect((await ask('GET', '/instances?details=true&limit=101')).body).toMatchObject({
    code: 'request/invalid',
    errors: [{ path: '/limit' }],
  });
  await host.cancel('a');
  expect((await ask('GET', '/instances/a')).body).toMatchObject({ ended: true, collected });
});

test('a definition is checked, added and listed', async () => {
  const { ask } = await served();
  const text = '{"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}}}';
  const checked = await ask('POST', '/check', { name: 'x', text });
  expect(checked.body.diagnostics).toEqual([
    expect.objectContaining({ code: 'asl/unknown-target', severity: 'error' }),
  ]);
  expect(await ask('PUT', '/definitions/x', { text })).toMatchObject({
    status: 400,
    body: { code: 'definition/errors', errors: [{ path: '/text' }] },
  });
  const right = text.replace('"Next": "B"', '"End": true');
  expect((await ask('PUT', '/definitions/x', { text: right })).body).toEqual({
    name: 'x',
    format: 'asl',
  });
  const { items } = (await ask('GET', '/definitions')).body;
  expect(items).toContainEqual({ name: 'x', format: 'asl' });
  expect((await ask('POST', '/instances', { definition: 'x' })).status).toBe(201);
});

test('commands reach a host inside a program by its store and by its URL', async () => {
  const { store, url, host } = await served();
  await host.start('intake', { id: 'conversation', contact: 'ada' });
  await host.settle();
  for (const where of [store, url, `${url}/`]) {
    const listed = await dramaturg(['ps', where]);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toContain('conversation');
  }
  expect(await dramaturg(['pause', url, 'conversation'])).toMatchObject({
    code: 0,
    stdout: '✓ conversation: PAUSED\n',
  });
  expect((await host.get('conversation')).state).toBe('PAUSED');
});

test('a host stops its service, and its health says so before', async () => {
  const { url, host } = await served();
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready' });
  await host.stop();
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
});

test('an answer lists 100 problems of a request, and counts all', async () => {
  const { ask } = await served();
  const unknown = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]),
  );
  const { status, body } = await ask('POST', '/instances', { definition: 'intake', ...unknown });
  expect(status).toBe(400);
  expect(body.errors).toHaveLength(100);
  expect(body).toMatchObject({ detail: expect.stringContaining('There are 9999 more problems.') });
});

describe('bytes that are not a request for a path get a problem too', () => {
  const cases: [name: string, bytes: string, status: number][] = [
    ['the target *', 'GET * HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n', 400],
    [
      'a target without a slash',
      'GET status HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n',
      400,
    ],
    [
      'a target with a backslash',
      'GET \\status HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n',
      400,
    ],
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['a long header', `GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
  ];
  test.each(cases)('%s', async (_name, bytes, status) => {
    const { url } = await served();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(bytes);
    const [head = '', body = ''] = (await textOf(socket)).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toContain('content-type: application/problem+json');
    expect(body).toMatch(/"code":"request\/(invalid|too-large)"/);
  });

  test('without a body, when its method is HEAD', async () => {
    const { url } = await served();
    for (const target of ['\\status', 'status', '*']) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(`HEAD ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`);
      const [head = '', body] = (await textOf(socket)).split('\r\n\r\n');
      expect(head).toContain('HTTP/1.1 400 ');
      expect(body).toBe('');
    }
  });
});

describe('the target of a backup is refused when it', () => {
  const cases: [name: string, target: string][] = [
    ['is relative', 'copy.db'],
    ['has a nul character', '/tmp/a\0b'],
    ['is below a file', '/dev/null/copy.db'],
    ['is too long', `/${'y'.repeat(5_000)}`],
  ];
  test.each(cases)('%s', async (_, target) => {
    const { ask } = await served();
    expect(await ask('POST', '/backup', { target })).toMatchObject({
      status: 400,
      body: { code: 'request/invalid', errors: [{ path: '/target' }] },
    });
  });
});

test('a port in use is a sentence', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  onTestFinished(() => void blocker.close());
  const { port } = blocker.address() as AddressInfo;
  await expect(served({ http: `127.0.0.1:${port}` })).rejects.toThrow(
    `Port ${port} of 127.0.0.1 is in use by another program.`,
  );
  await expect(served({ http: 'nonsense:x' })).rejects.toThrow(
    '"nonsense:x" is not an address to listen on.',
  );
});
