import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { compile, createHost, memoryStore, understudyPorts } from 'dramaturg';
import { mcpRoute } from 'dramaturg/mcp';
import { type Scope, serveHost } from 'dramaturg/service';
import { expect, test } from 'vitest';
import { folderWith, smallPlan } from '../command.ts';

const origin = 'https://assistant.example';

/** Headers that a page may send and read without being allowed to. Spec: Fetch, "CORS-safelisted" */
const safelisted = [
  'accept',
  'accept-language',
  'content-language',
  'cache-control',
  'content-type',
];

/** Requests as the browser of a page makes them. */
const browserFetch: FetchLike = async (url, init) => {
  const sent = new Headers(init?.headers);
  const asked = { origin, 'access-control-request-method': init?.method ?? 'GET' };
  const preflight = await fetch(url, { method: 'OPTIONS', headers: asked });
  const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ') ?? [];
  for (const name of sent.keys())
    if (name !== 'accept' && !allowed.includes(name)) throw new TypeError(`${name} is blocked.`);
  sent.set('origin', origin);
  const { body, status, headers } = await fetch(url, { ...init, headers: sent });
  const exposed = headers.get('access-control-expose-headers')?.split(', ') ?? [];
  const readable = [...headers].filter(([name]) => [...safelisted, ...exposed].includes(name));
  return new Response(body, { status, headers: readable });
};

test('a page of an allowed origin has a session', async () => {
  await using service = await serving();
  const client = await service.client('converse', browserFetch);
  expect((await client.listTools()).tools).toHaveLength(2);
  const { sessionId } = client.transport as StreamableHTTPClientTransport;
  expect(sessionId).toEqual(expect.any(String));
  await client.close();
});

/** A service with a token for each list of scopes, which is the token itself: `read+converse`. */
async function serving(audit?: string) {
  const host = await createHost({
    store: memoryStore(),
    definitions: { small: compile(smallPlan()) },
    ports: understudyPorts(),
  });
  const service = await serveHost(host, {
    http: '127.0.0.1:0',
    mount: mcpRoute(),
    allowedOrigins: [origin],
    tokens: async (token) => ({ name: 'desk', scopes: token.split('+') as Scope[] }),
    ...(audit !== undefined && { audit }),
  });
  const url = `${service.url}/mcp`;
  return {
    url,
    async client(token: string, fetch?: FetchLike) {
      const client = new Client({ name: 'test', version: '1' });
      const headers = { authorization: `Bearer ${token}` };
      const transport = new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers },
        ...(fetch && { fetch }),
      });
      await client.connect(transport);
      return client;
    },
    async [Symbol.asyncDispose]() {
      service.close();
      await host.stop();
      await service.end();
    },
  };
}

test('a client has the tools of its scopes', async () => {
  await using service = await serving();
  const namesOf = async (token: string) =>
    (await (await service.client(token)).listTools()).tools.map(({ name }) => name);
  expect(await namesOf('converse')).toEqual(['start_small', 'talk']);
  expect(await namesOf('read')).toEqual(['result', 'instances', 'decisions']);
  expect(await namesOf('operate')).toEqual(['decide', 'cancel']);
  expect(await namesOf('define')).toEqual(['check', 'compile', 'explain', 'test_state', 'run']);
  expect(await namesOf('admin')).toHaveLength(12);
  const reader = await service.client('read');
  await expect(reader.callTool({ name: 'talk', arguments: {} })).rejects.toThrow(
    'There is no tool',
  );
  expect((await reader.listResources()).resources).toEqual([]);
  const talker = await service.client('converse');
  expect(talker.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
  const answer = await talker.callTool({
    name: 'start_small',
    arguments: { contact: 'ada', message: 'Hello' },
  });
  const said = JSON.stringify(answer.content);
  expect(said).toContain('What is your name?');
  // What a conversation has collected is for those who may read.
  expect(said).not.toContain('collected');
});

test('tools of operators are written to the audit log', async () => {
  const audit = join(await folderWith({}), 'audit.log');
  await using service = await serving(audit);
  const client = await service.client('operate');
  await client.callTool({ name: 'cancel', arguments: { instance: 'none' } });
  const lines = (await readFile(audit, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { action: 'mcp/cancel', outcome: 'started', principal: 'desk' },
    { action: 'mcp/cancel', outcome: 'refused', principal: 'desk' },
  ]);
});

test('requests without a token, with garbage, or of other kinds are refused', async () => {
  await using service = await serving();
  const headers = {
    authorization: 'Bearer admin',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = async (body: string, more: Record<string, string> = {}) =>
    (await fetch(service.url, { method: 'POST', headers: { ...headers, ...more }, body })).status;
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  expect(await post(list)).toBe(200);
  expect(await post(list, { authorization: '' })).toBe(401);
  expect(await post(list, { 'content-type': 'text/plain' })).toBe(415);
  expect(await post('{"jsonrpc":')).toBe(400);
  expect(await post('7')).toBe(400);
  expect(await post(`[${Array.from({ length: 3 }, () => 'null').join()}]`)).toBe(400);
  expect(await post(`"${'x'.repeat(2_000_000)}"`)).toBe(413);
  expect((await fetch(service.url, { headers })).status).toBe(400);
  expect(await post(list, { 'mcp-session-id': 'none' })).toBe(404);
  expect(await post(list)).toBe(200);
});

test('a client that disconnects during a call leaves the service and its message as they are', async () => {
  await using service = await serving();
  const client = await service.client('admin');
  const say = { contact: 'ada', message: 'Hello', key: 'm1' };
  const controller = new AbortController();
  const cut = client.callTool({ name: 'start_small', arguments: say }, undefined, {
    signal: controller.signal,
  });
  controller.abort(new Error('Cut.'));
  await expect(cut).rejects.toThrow('Cut.');
  await client.close();
  const again = await service.client('admin');
  const answer = await again.callTool({ name: 'start_small', arguments: say });
  expect(JSON.stringify(answer.content)).toContain('What is your name?');
  const { resources } = await again.listResources();
  expect(resources).toHaveLength(2);
});
