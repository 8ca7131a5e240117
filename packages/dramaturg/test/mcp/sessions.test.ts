import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitRequestSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { compile, createHost, memoryStore, understudyPorts } from 'dramaturg';
import { mcpRoute } from 'dramaturg/mcp';
import { type Scope, serveHost } from 'dramaturg/service';
import { expect, onTestFinished, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { folderWith, smallPlan } from '../command.ts';

const order = JSON.stringify({
  StartAt: 'Pack',
  States: {
    Pack: { Type: 'Pass', Next: 'Approve' },
    Approve: {
      Type: 'Approval',
      Prompt: 'Ship it?',
      Options: ['yes', 'no'],
      ResultPath: '$.approval',
      Next: 'Done',
    },
    Done: { Type: 'Succeed' },
  },
});

type Limits = Parameters<typeof mcpRoute>[0];

/** A service whose tokens are a name and scopes: `ada.read+converse`. */
async function serving({ audit, ...limits }: { audit?: string } & Limits = {}) {
  const host = await createHost({
    store: memoryStore(),
    definitions: { small: compile(smallPlan()), order: compile(order) },
    ports: understudyPorts(),
  });
  const service = await serveHost(host, {
    http: '127.0.0.1:0',
    mount: mcpRoute(limits),
    tokens: async (token) => {
      const [name = '', scopes = ''] = token.split('.');
      return { name, scopes: scopes.split('+') as Scope[] };
    },
    ...(audit !== undefined && { audit }),
  });
  onTestFinished(() => host.stop());
  const url = `${service.url}/mcp`;
  return {
    host,
    url,
    service,
    async client(token = 'ada.admin', capabilities = {}) {
      const client = new Client({ name: 'test', version: '1' }, { capabilities });
      const transport = new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      });
      await client.connect(transport);
      onTestFinished(() => client.close());
      const call = async (name: string, input: object = {}, options = {}) => {
        const answer = await client.callTool({ name, arguments: { ...input } }, undefined, options);
        const [block] = answer.content as { text: string }[];
        return JSON.parse(block!.text) as Record<string, unknown>;
      };
      return { client, transport, call };
    },
    async post(session: string, message: object, token = 'ada.admin') {
      return fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
          ...(session !== '' && { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    },
  };
}

test('a decision is an elicitation over HTTP, and a tool for a client that cannot ask', async () => {
  const service = await serving();
  const { client, call } = await service.client('ada.admin', { elicitation: { form: {} } });
  const asked: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { choice: 'yes' } };
  });
  const { decisions } = await call('start_order', { input: {} });
  const [open] = decisions as { decision: string }[];
  expect(await call('decide', { decision: open!.decision })).toMatchObject({ accepted: true });
  expect(asked).toEqual(['Ship it?']);
  const other = await service.client();
  const second = await other.call('start_order', { input: {} });
  const [{ decision }] = second['decisions'] as [{ decision: string }];
  expect(await other.call('decide', { decision })).toMatchObject({
    accepted: false,
    options: ['yes', 'no'],
  });
  expect(await other.call('decide', { decision, choice: 'no' })).toMatchObject({ accepted: true });
});

test('a call with a progress token reports the states of a workflow', async () => {
  const service = await serving();
  const { call } = await service.client();
  const reported: object[] = [];
  await call('start_order', { input: {} }, { onprogress: (each: object) => reported.push(each) });
  expect(reported).toEqual([
    { progress: 1, message: 'Pack' },
    { progress: 2, message: 'Approve' },
  ]);
});

test('a client is notified about lines of a transcript, new instances and other definitions', async ({
  skip,
}) => {
  skip(!runsAll);
  const service = await serving();
  const { client, call } = await service.client();
  const seen: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    seen.push(params.uri);
  });
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
    seen.push('resources');
  });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    seen.push('tools');
  });
  const { instance } = await call('start_small', { contact: 'ada', message: 'Hello' });
  await expect.poll(() => seen).toEqual(['resources']);
  const uri = `dramaturg://instances/${instance as string}/transcript`;
  await client.subscribeResource({ uri });
  await call('talk', { contact: 'ada', message: 'Ada' });
  await expect.poll(() => seen).toContain(uri);
  await client.unsubscribeResource({ uri });
  await expect(client.subscribeResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(
    'There is no resource',
  );
  await fetch(`${service.service.url}/definitions/other`, {
    method: 'PUT',
    headers: { authorization: 'Bearer ada.admin', 'content-type': 'application/json' },
    body: JSON.stringify({ text: smallPlan() }),
  });
  await expect.poll(() => seen).toContain('tools');
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('start_other');
});

test('a session belongs to one token', async () => {
  const service = await serving();
  const { transport } = await service.client('ada.read');
  const list = { id: 1, method: 'tools/list' };
  const post = async (token: string) =>
    (await service.post(transport.sessionId!, list, token)).status;
  expect(await post('ada.read')).toBe(200);
  expect(await post('eve.read')).toBe(404);
  expect(await post('eve.admin')).toBe(404);
  // The scopes of the token have changed since.
  expect(await post('ada.read+operate')).toBe(404);
  const remove = async (token: string) =>
    fetch(service.url, {
      method: 'DELETE',
      headers: {
        authorization: `Bearer ${token}`,
        'mcp-session-id': transport.sessionId!,
        'content-type': 'application/json',
      },
    });
  expect((await remove('eve.read')).status).toBe(404);
  expect(await post('ada.read')).toBe(200);
  expect((await remove('ada.read')).status).toBe(200);
  expect(await post('ada.read')).toBe(404);
});

test('an idle session ends, and one with an open stream does not', async ({ skip }) => {
  skip(!runsAll);
  const service = await serving({ idleMs: 2_000 });
  const listening = await service.client();
  const third = await service.client('eve.read');
  // Closes the stream of the client and leaves the session.
  const id = third.transport.sessionId!;
  await third.client.close();
  await expect
    .poll(
      async () => {
        await new Promise((resolve) => void setTimeout(resolve, 4_000));
        return (await service.post(id, { id: 1, method: 'ping' }, 'eve.read')).status;
      },
      { timeout: 300_000 },
    )
    .toBe(404);
  expect((await listening.client.listTools()).tools.length).toBeGreaterThan(0);
});

const initialize = {
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  },
};

test('a client with too many sessions loses the oldest idle one, and is refused when all are in use', async () => {
  const service = await serving({ sessionsOfClient: 2 });
  const begin = async (token: string) => service.post('', initialize, token);
  const idOf = async (response: Response) => {
    await response.text();
    return response.headers.get('mcp-session-id')!;
  };
  const ids = [];
  for (let count = 0; count < 3; count += 1) {
    ids.push(await idOf(await begin('eve.admin')));
    // The oldest one is found by the milliseconds of the clock.
    const at = Date.now();
    while (Date.now() === at) await setImmediate();
  }
  const ping = async (id: string) =>
    (await service.post(id, { id: 1, method: 'ping' }, 'eve.admin')).status;
  expect(await Promise.all(ids.map(ping))).toEqual([404, 200, 200]);
  await service.client('ada.admin');
  await service.client('ada.admin');
  await expect(service.client('ada.admin')).rejects.toThrow('too many sessions');
});

test('a cancelled call ends its work, and the question to the person', async () => {
  const audit = join(await folderWith({}), 'audit.log');
  const service = await serving({ audit });
  const { client, call } = await service.client('ada.admin', { elicitation: { form: {} } });
  let isAsked = false;
  client.setRequestHandler(ElicitRequestSchema, async (_request, { signal }) => {
    isAsked = true;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('Not asked any more.')));
    });
  });
  const { decisions } = await call('start_order', { input: {} });
  const [{ decision }] = decisions as [{ decision: string }];
  const controller = new AbortController();
  const deciding = call('decide', { decision }, { signal: controller.signal });
  await expect.poll(() => isAsked).toBe(true);
  controller.abort(new Error('Enough.'));
  await expect(deciding).rejects.toThrow('Enough.');
  await expect
    .poll(async () =>
      (await readFile(audit, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
    .toMatchObject([
      { action: 'mcp/decide', outcome: 'started', principal: 'ada' },
      { action: 'mcp/decide', outcome: 'refused', principal: 'ada' },
    ]);
  // The decision is still open.
  expect(await call('decide', { decision, choice: 'no' })).toMatchObject({ accepted: true });
});

test('a stream that was cut goes on after its last event', async () => {
  const service = await serving();
  const { transport } = await service.client();
  const session = transport.sessionId!;
  const call = {
    id: 7,
    method: 'tools/call',
    params: { name: 'start_order', arguments: { input: {} } },
  };
  const cutting = new AbortController();
  const response = await service.post(session, call);
  const reader = response.body!.getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  const [, id] = /^id: (.+)$/m.exec(first)!;
  cutting.abort();
  await reader.cancel();
  const resumed = await fetch(service.url, {
    headers: {
      authorization: 'Bearer ada.admin',
      accept: 'text/event-stream',
      'mcp-session-id': session,
      'mcp-protocol-version': '2025-11-25',
      'last-event-id': id!,
    },
  });
  let text = '';
  for await (const part of resumed.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes('"id":7')) break;
  }
  expect(text).toContain('Ship it?');
  const unknown = await fetch(service.url, {
    headers: {
      authorization: 'Bearer ada.admin',
      accept: 'text/event-stream',
      'mcp-session-id': session,
      'last-event-id': '4711',
    },
  });
  expect(unknown.status).toBe(400);
});

test('prompts are those of the scopes, and have text of people as a resource', async () => {
  const service = await serving();
  const { client, call } = await service.client();
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
    'write_definition',
    'explain_definition',
    'review_transcript',
  ]);
  const { instance } = await call('start_small', { contact: 'ada', message: 'Hello </data>' });
  const { messages } = await client.getPrompt({
    name: 'review_transcript',
    arguments: { instance: instance as string },
  });
  expect(messages).toMatchObject([
    { content: { type: 'text', text: expect.not.stringContaining('Hello') } },
    { content: { type: 'resource', resource: { text: expect.stringContaining('Hello </data>') } } },
  ]);
  await expect(client.getPrompt({ name: 'review_transcript' })).rejects.toThrow(
    'The argument "instance" of the prompt "review_transcript" is missing',
  );
  await expect(client.getPrompt({ name: 'none' })).rejects.toThrow('There is no prompt "none"');
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'review_transcript' },
    argument: { name: 'instance', value: (instance as string).slice(0, 4) },
  });
  expect(completion.values).toEqual([instance]);
  const format = await client.complete({
    ref: { type: 'ref/prompt', name: 'write_definition' },
    argument: { name: 'format', value: 'as' },
  });
  expect(format.completion.values).toEqual(['asl']);
  const talker = await service.client('eve.converse');
  expect(talker.client.getServerCapabilities()).not.toHaveProperty('prompts');
  const reader = await service.client('eve.read');
  expect((await reader.client.listPrompts()).prompts).toHaveLength(1);
});

test('a service with an open session ends its stream', async () => {
  const { service, host, url, ...stage } = await serving();
  const opened = await stage.post('', initialize, 'ada.admin');
  await opened.text();
  const headers = {
    authorization: 'Bearer ada.admin',
    accept: 'text/event-stream',
    'mcp-session-id': opened.headers.get('mcp-session-id')!,
  };
  const stream = await fetch(url, { headers });
  expect(stream.status).toBe(200);
  await host.stop();
  await service.end();
  // A connection that is cut is an error.
  await expect(stream.text()).resolves.toEqual(expect.any(String));
});
