import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { compile, createHost, memoryStore, understudyPorts } from 'dramaturg';
import { mcpRoute } from 'dramaturg/mcp';
import { mcpServer, Sessions } from '@dramaturg/mcp/server';
import { serveHost } from 'dramaturg/service';
import { beforeAll, describe, expect, test } from 'vitest';
import { smallPlan } from '../command.ts';
import { withFixtures } from './conformance-fixtures.ts';

/** The protocol's own suite. */
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
  const cwd = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  // What a scenario prints says whether it failed.
  const ran = promisify(execFile)(process.execPath, [suite, ...args], { cwd });
  const { stdout, stderr } = await ran.catch((error: { stdout: string; stderr: string }) => error);
  await rm(cwd, { recursive: true, force: true });
  return stdout + stderr;
}

/** The names of the scenarios for clients, or for servers. */
async function scenariosOf(kind: 'Client' | 'Server'): Promise<string[]> {
  const [ofServers = '', ofClients = ''] = (await scenario('list')).split('Client scenarios');
  const listed = kind === 'Client' ? ofClients : ofServers;
  return [...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!).toSorted();
}

/** Scenarios that this client does not pass, with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'elicitation-sep1034-client-defaults':
    'the client declares no elicitation: a machine is not a person',
  'auth/cross-app-access-complete-flow':
    'an extension of identity providers; a program can give an authProvider for it',
};

/** What the suite measures in real time: a client on a busy machine is late, and only a client that is too early is wrong. */
const measured: Readonly<Record<string, RegExp>> = {
  'sse-retry':
    /Passed: 2\/3, (?:0 failed, 1 warnings|1 failed, 0 warnings[^]*reconnected very late)/,
};

test('the scenarios for clients are passed or left out, and no other ones exist', async () => {
  const known = [...clientScenarios, ...Object.keys(leftOut)];
  expect(await scenariosOf('Client')).toEqual(known.toSorted());
});

test.concurrent.each(clientScenarios)('the client passes the scenario %s', async (name) => {
  const command = `${process.execPath} ${client}`;
  // The machine may have much else to do.
  const options = ['--command', command, '--scenario', name, '--timeout', '300000'];
  const printed = await scenario('client', ...options);
  expect(printed).toMatch(measured[name]?.test(printed) ? measured[name] : passed);
});

const serverScenarios = [
  'server-initialize',
  'logging-set-level',
  'ping',
  'completion-complete',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-with-logging',
  'tools-call-error',
  'tools-call-with-progress',
  'tools-call-sampling',
  'tools-call-elicitation',
  'json-schema-2020-12',
  'elicitation-sep1034-defaults',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'elicitation-sep1330-enums',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'resources-subscribe',
  'resources-unsubscribe',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'dns-rebinding-protection',
];

/** Scenarios that need nothing of the suite's in a server. */
const plainScenarios = [
  'server-initialize',
  'ping',
  'completion-complete',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
];

async function serving(): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const host = await createHost({
    store: memoryStore(),
    definitions: { small: compile(smallPlan()) },
    ports: understudyPorts(),
  });
  const plain = mcpRoute();
  const service = await serveHost(host, {
    http: '127.0.0.1:0',
    mount: (app, access, ended) => {
      plain(app, access, ended);
      const sessions = new Sessions();
      app.all('/fixtures', (c) =>
        sessions.answer(c.req.raw, {
          key: 'suite',
          createServer: () =>
            withFixtures(mcpServer({ host: c.var.host, events: c.var.host.events, kindOf, draw })),
          extra: {},
        }),
      );
    },
  });
  return { url: service.url!, stop: () => host.stop() };
}

const kindOf = () => 'conversation';
const draw = () => '';

test.concurrent.for(plainScenarios)('the server passes the scenario %s', async (name, context) => {
  const { url, stop } = await serving();
  context.onTestFinished(async () => void (await stop()));
  expect(await scenario('server', '--url', `${url}/mcp`, '--scenario', name)).toMatch(passed);
});

/** What the scenario cannot see in this server. */
const warned: Readonly<Record<string, string>> = {
  'server-sse-polling':
    'it says that it is a client of 2025-03-26, and such a client gets no event without data',
};

test('the scenarios for servers are all run', async () => {
  expect(await scenariosOf('Server')).toEqual(serverScenarios.toSorted());
});

describe('the server with the tools, resources and prompts of the suite', () => {
  let summary: readonly string[];
  beforeAll(async () => {
    const { url, stop } = await serving();
    // One process runs all: it takes longer to begin than a scenario.
    const printed = await scenario('server', '--url', `${url}/fixtures`, '--suite', 'all');
    summary = printed.split('=== SUMMARY ===').at(-1)!.split('\n');
    await stop();
  });

  test.each(serverScenarios)('passes the scenario %s', (name) => {
    const line = summary.find((each) => each.includes(` ${name}: `));
    expect(line).toMatch(name in warned ? /, 0 failed/ : /: [1-9]\d* passed, 0 failed$/);
  });
});
