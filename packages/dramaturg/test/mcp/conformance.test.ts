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
const clientScenarios = [
  'initialize',
  'tools_call',
  'sse-retry',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
];
const passed = /Passed: (\d+)\/\1, 0 failed, 0 warnings/;
const client = new URL('conformance-client.mjs', import.meta.url).pathname;

async function scenario(...args: string[]): Promise<string> {
  const cwd = await folderWith({});
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [suite, ...args], { cwd });
  return stdout + stderr;
}

const leftOut: Readonly<Record<string, string>> = {
  'elicitation-sep1034-client-defaults':
    'the client declares no elicitation: a machine is not a person',
  'auth/cross-app-access-complete-flow':
    'an extension of identity providers; a program can give an authProvider for it',
};

test('the scenarios for clients are passed or left out, and no other ones exist', async () => {
  const listed = (await scenario('list')).split('Client scenarios')[1]!;
  const names = [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!);
  expect(names.toSorted()).toEqual([...clientScenarios, ...Object.keys(leftOut)].toSorted());
});

test.concurrent.each(clientScenarios)('the client passes the scenario %s', async (name) => {
  const command = `${process.execPath} ${client}`;
  expect(await scenario('client', '--command', command, '--scenario', name)).toMatch(passed);
});

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
