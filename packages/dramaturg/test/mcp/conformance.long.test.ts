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
const client = new URL('conformance-client.mjs', import.meta.url).pathname;

async function scenario(...args: string[]): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  // What a scenario prints says whether it failed.
  const ran = promisify(execFile)(process.execPath, [suite, ...args], { cwd });
  const { stdout, stderr } = await ran.catch((error: { stdout: string; stderr: string }) => error);
  await rm(cwd, { recursive: true, force: true });
  return stdout + stderr;
}

/** Runs all scenarios in one process, which takes longer to begin than a scenario. @returns a line of results for each name */
async function resultsOf(...args: string[]): Promise<ReadonlyMap<string, string>> {
  const printed = await scenario(...args, '--suite', 'all');
  const summary = printed.split('SUMMARY ===').at(-1)!;
  return new Map(
    [...summary.matchAll(/^[✓✗] (\S+): (.*(?:\n {4}.*)*)$/gm)].map(([, name, line]) => [
      name!,
      line!,
    ]),
  );
}

const allPassed = /^[1-9]\d* passed, 0 failed$/;

/** Scenarios that this client does not pass, with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'elicitation-sep1034-client-defaults':
    'the client declares no elicitation: a machine is not a person',
  'auth/cross-app-access-complete-flow':
    'an extension of identity providers; a program can give an authProvider for it',
};

/** The suite measures it in real time: a client on a busy machine is late, and only a client that is too early is wrong. */
const measured = 'sse-retry';
const passedOrLate =
  /Passed: (?:(\d+)\/\1, 0 failed, 0 warnings|2\/3, (?:0 failed, 1 warnings|1 failed, 0 warnings[^]*reconnected very late))/;

const command = `${process.execPath} ${client}`;
// The machine may have much else to do.
const asClient = ['client', '--command', command, '--timeout', '300000'];

describe('the client', () => {
  let results: ReadonlyMap<string, string>;
  beforeAll(async () => {
    results = await resultsOf(...asClient, '--verbose');
  });

  test('passes the scenarios or leaves them out, and no other ones exist', () => {
    const known = [...clientScenarios, measured, ...Object.keys(leftOut)];
    expect([...results.keys()].toSorted()).toEqual(known.toSorted());
  });

  test.each(clientScenarios)('passes the scenario %s', (name) => {
    expect(results.get(name)).toMatch(allPassed);
  });

  test(`passes the scenario ${measured}, or is late`, async () => {
    expect(await scenario(...asClient, '--scenario', measured)).toMatch(passedOrLate);
  });
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

describe('the server', () => {
  let results: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const { url, stop } = await serving();
    results = await resultsOf('server', '--url', `${url}/mcp`);
    await stop();
  });

  test.each(plainScenarios)('passes the scenario %s', (name) => {
    expect(results.get(name)).toMatch(allPassed);
  });
});

/** What the scenario cannot see in this server. */
const warned: Readonly<Record<string, string>> = {
  'server-sse-polling':
    'it says that it is a client of 2025-03-26, and such a client gets no event without data',
};

describe('the server with the tools, resources and prompts of the suite', () => {
  let results: ReadonlyMap<string, string>;
  beforeAll(async () => {
    const { url, stop } = await serving();
    results = await resultsOf('server', '--url', `${url}/fixtures`);
    await stop();
  });

  test('the scenarios are all run', () => {
    expect([...results.keys()].toSorted()).toEqual(serverScenarios.toSorted());
  });

  test.each(serverScenarios)('passes the scenario %s', (name) => {
    expect(results.get(name)).toMatch(name in warned ? /, 0 failed/ : allPassed);
  });
});
