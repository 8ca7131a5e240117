import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { compile, createHost, memoryStore, understudyPorts } from 'dramaturg';
import { mcpRoute } from 'dramaturg/mcp';
import { serveHost } from 'dramaturg/service';
import { expect, onTestFinished, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { folderWith } from '../command.ts';

const bin = fileURLToPath(new URL('../../bin/dramaturg.js', import.meta.url));

const endless = JSON.stringify({
  StartAt: 'Work',
  States: { Work: { Type: 'Task', Agent: 'work', End: true } },
});

/** A service with a workflow whose agent never answers. */
async function serving() {
  const host = await createHost({
    store: memoryStore(),
    definitions: { endless: compile(endless) },
    ports: {
      ...understudyPorts(),
      runAgent: async (_call, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('The host stops.')));
        }),
    },
  });
  const service = await serveHost(host, { http: '127.0.0.1:0', mount: mcpRoute() });
  onTestFinished(() => host.stop({ within: 0 }));
  return { host, url: new URL(`${service.url}/mcp`) };
}

async function connected(url: URL): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url));
  onTestFinished(() => client.close());
  return client;
}

const start = { name: 'start_endless', arguments: { input: {}, key: 'one', waitMs: 1_000 } };

test('work that is slower than the call is said to go on, and is found again by its key', async ({
  skip,
}) => {
  skip(!runsAll);
  const { url } = await serving();
  const client = await connected(url);
  for (let count = 0; count < 2; count += 1) {
    const { content } = await client.callTool(start);
    const [block] = content as { text: string }[];
    expect(JSON.parse(block!.text)).toMatchObject({ instance: 'one', isWorking: true });
  }
});

test('a host that stops ends the calls of its clients', async () => {
  const { host, url } = await serving();
  const client = await connected(url);
  const waiting = client.callTool({ name: 'start_endless', arguments: { waitMs: 50_000 } });
  await expect.poll(async () => (await host.list({}, { limit: 1 })).items.length).toBe(1);
  const outcome = waiting.then(
    ({ isError }) => (isError === true ? 'failed' : 'answered'),
    () => 'failed',
  );
  await host.stop({ within: 0 });
  expect(await outcome).toBe('failed');
});

test('connections that are cut in the middle of a request leave the service as it is', async () => {
  const { url } = await serving();
  const client = await connected(url);
  for (const sent of [
    'POST /mcp HTTP/1.1\r\nHo',
    'POST /mcp HTTP/1.1\r\nHost: x\r\n\r\n',
    '\0\0',
  ]) {
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    socket.on('error', () => {});
    socket.write(sent);
    socket.destroy();
  }
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('start_endless');
});

test('a client that is gone in the middle of a call ends the command', async ({ skip }) => {
  skip(!runsAll);
  const folder = await folderWith({ 'endless.asl.json': endless });
  const child = spawn(process.execPath, [bin, 'mcp', folder], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const say = (message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  say({ id: 1, method: 'initialize', params });
  expect((await lines.next()).value).toContain('"id":1');
  say({ method: 'notifications/initialized' });
  say({ id: 2, method: 'tools/call', params: { name: 'result', arguments: { instance: 'none' } } });
  say({ id: 3, method: 'tools/call', params: { ...start } });
  // The pipes break without a word, as when the editor is killed.
  child.stdin.destroy();
  child.stdout.destroy();
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect({ code, signal }).toEqual({ code: 0, signal: null });
});
