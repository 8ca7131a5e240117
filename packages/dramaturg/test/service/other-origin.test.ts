import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sharedChromium, whyNoChromium } from '@dramaturg/test-servers';
import { mcpRoute } from 'dramaturg/mcp';
import { build, type Rolldown } from 'vite';
import { expect, onTestFinished, test } from 'vitest';
import { served } from './stage.ts';

/** Clients as pages use them. `service` is the URL of a service on another origin. */
const script = `
import { HttpAgent } from '@ag-ui/client';
import { Chat } from '@ai-sdk/react';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { DefaultChatTransport } from 'ai';

const service = new URLSearchParams(location.search).get('service');
const headers = { authorization: 'Bearer page' };

async function mcp() {
  const client = new Client({ name: 'page', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(service + '/mcp'), { requestInit: { headers } });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const { sessionId } = transport;
  await transport.terminateSession();
  await client.close();
  return [tools.length > 0, typeof sessionId];
}

async function agUi() {
  const agent = new HttpAgent({ url: service + '/ag-ui/intake', threadId: 'ada', headers });
  agent.addMessage({ id: 'm-1', role: 'user', content: 'Hello' });
  await agent.runAgent();
  return agent.messages.at(-1).content;
}

async function aiSdk() {
  const transport = new DefaultChatTransport({ api: service + '/chat/intake', headers });
  const chat = new Chat({ id: 'bob', transport });
  await chat.sendMessage({ text: 'Hello' });
  if (chat.error) throw chat.error;
  await chat.resumeStream();
  return chat.lastMessage.parts.find(({ type }) => type === 'text').text;
}

const done = await Promise.all([mcp, agUi, aiSdk].map((each) => each().catch(String)));
document.body.append(Object.assign(document.createElement('output'), { textContent: JSON.stringify(done) }));
`;

/** Bundled inside of the package, so that the bundler finds the clients. */
async function bundled(): Promise<string> {
  const folder = await mkdtemp(join(import.meta.dirname, 'page-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const entry = join(folder, 'entry.js');
  await writeFile(entry, script);
  const [result] = (await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, lib: { entry, formats: ['es'], fileName: 'entry' } },
  })) as Rolldown.RolldownOutput[];
  return result!.output.flatMap((each) => (each.type === 'chunk' ? each.code : [])).join('\n');
}

test.skipIf(whyNoChromium() !== undefined)(
  'clients of MCP, AG-UI and the AI SDK work in a page of an allowed origin, and of no other one',
  async () => {
    const code = await bundled();
    const site = createServer((request, response) => {
      const isScript = request.url === '/entry.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? code : '<body><script type="module" src="/entry.js"></script>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    const { port } = site.address() as AddressInfo;
    const origin = `http://127.0.0.1:${port}`;
    const { url } = await served({
      tokens: (token) =>
        token === 'page' ? { name: 'page', scopes: ['read', 'converse'] } : undefined,
      allowedOrigins: [origin],
      mount: mcpRoute(),
    });
    const resultAt = async (from: string) => {
      const page = await (await sharedChromium()).newPage();
      onTestFinished(() => page.close());
      await page.goto(`${from}/?service=${encodeURIComponent(url)}`);
      return JSON.parse((await page.locator('output').textContent())!) as readonly unknown[];
    };
    const greeting = expect.stringContaining('What is your name?');
    expect(await resultAt(origin)).toEqual([[true, 'string'], greeting, greeting]);
    const refused = 'TypeError: Failed to fetch';
    expect(await resultAt(`http://localhost:${port}`)).toEqual([refused, refused, refused]);
  },
);
