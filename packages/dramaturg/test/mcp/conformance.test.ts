import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { compile, createHost, memoryStore, understudyPorts } from 'dramaturg';
import { mcpRoute } from 'dramaturg/mcp';
import { serveHost } from 'dramaturg/service';
import { expect, test } from 'vitest';
import { folderWith, smallPlan } from '../command.ts';

/** The protocol's own suite. The scenarios left out call tools, prompts and resources that a server of the suite has. */
const suite = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const client = new URL('conformance-client.mjs', import.meta.url).pathname;

async function scenario(...args: string[]): Promise<string> {
  const cwd = await folderWith({});
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [suite, ...args], { cwd });
  return stdout + stderr;
}

test.each(['initialize', 'tools_call', 'sse-retry'])(
  'the client passes the scenario %s',
  async (name) => {
    const command = `${process.execPath} ${client}`;
    expect(await scenario('client', '--command', command, '--scenario', name)).toMatch(
      /Passed: (\d)\/\1, 0 failed, 0 warnings/,
    );
  },
);

test('the server passes the scenarios about its features', async () => {
  const host = await createHost({
    store: memoryStore(),
    definitions: { small: compile(smallPlan()) },
    ports: understudyPorts(),
  });
  const service = await serveHost(host, { http: '127.0.0.1:0', mount: mcpRoute() });
  const passes = async (name: string) =>
    expect(await scenario('server', '--url', `${service.url}/mcp`, '--scenario', name)).toMatch(
      /Passed: (\d)\/\1, 0 failed, 0 warnings/,
    );
  for (const name of ['server-initialize', 'ping', 'tools-list', 'resources-list'])
    await passes(name);
  await passes('dns-rebinding-protection');
  service.close();
  await host.stop();
  await service.end();
});
