import { expect, test } from 'vitest';
import { faultyProxy } from './servers/faulty-proxy.ts';
import { httpServer } from './servers/http.ts';
import { calling, codeOf } from './use.ts';

test('a tool of an HTTP server is called with the current bearer token', async () => {
  await using server = await httpServer({ token: 'hush-hush-hush' });
  let asked = 0;
  const token = async () => {
    asked += 1;
    return 'hush-hush-hush';
  };
  await calling({ servers: { crm: { url: server.url, token } } }, async (call) => {
    expect(await call('echo', { a: 1 })).toBe('{"a":1}');
  });
  expect(asked).toBeGreaterThan(1);
  expect(new Set(server.tokens)).toEqual(new Set(['Bearer hush-hush-hush']));
});

test('a wrong token is one sentence without the token', async () => {
  await using server = await httpServer({ token: 'right-and-long' });
  await calling(
    { servers: { crm: { url: server.url, token: 'wrong-and-long' } } },
    async (call) => {
      expect(await codeOf(call('echo'))).toBe('mcp/unauthorized');
      await expect(call('echo')).rejects.not.toThrow('wrong-and-long');
    },
  );
});

test('a server that starts again gets a new session', async () => {
  const first = await httpServer();
  const { url, port } = first;
  await calling({ servers: { crm: { url } }, limits: { timeMs: 5_000 } }, async (call) => {
    expect(await call('echo')).toBe('{}');
    await first[Symbol.asyncDispose]();
    expect(await codeOf(call('echo'))).toBe('mcp/server-lost');
    await using again = await httpServer({ port });
    expect(again.port).toBe(port);
    expect(await call('echo')).toBe('{}');
  });
});

test('a session that the server has forgotten is replaced', async () => {
  await using server = await httpServer();
  await calling({ servers: { crm: { url: server.url } } }, async (call) => {
    await call('echo');
    let count = 0;
    server.faults.current = (request, response) => {
      if (request.headers['mcp-session-id'] === undefined || count++ > 0) return false;
      response.writeHead(404).end();
      return true;
    };
    expect(await call('echo')).toBe('{}');
    expect(count).toBeGreaterThan(0);
  });
});

test('a cancelled call cancels the tool', async () => {
  await using server = await httpServer();
  await calling({ servers: { crm: { url: server.url } } }, async (call) => {
    await call('echo');
    const controller = new AbortController();
    const slow = call('slow', {}, controller.signal);
    await expect.poll(() => server.calls).toEqual(['started']);
    controller.abort(new Error('Enough.'));
    await expect(slow).rejects.toThrow('Enough.');
    await expect.poll(() => server.calls).toEqual(['started', 'cancelled']);
  });
});

test.each([
  ['garbage', 'mcp/server-lost'],
  ['html', 'mcp/bad-answer'],
  ['cut', 'mcp/server-lost'],
  ['cut stream', 'mcp/server-lost'],
  ['mute', 'mcp/timed-out'],
  ['flood', 'mcp/too-large'],
  ['flood stream', 'mcp/too-large'],
  ['error', 'mcp/server-lost'],
])('an answer that fails (%s) fails the call with %s', async (mode, code) => {
  await using server = await httpServer();
  await using calls = await faultyProxy(server.url, mode);
  const options = { servers: { crm: { url: calls.url } }, limits: { timeMs: 2_000 } };
  await calling(options, async (call) => {
    expect(await codeOf(call('echo'))).toBe(code);
  });
});
