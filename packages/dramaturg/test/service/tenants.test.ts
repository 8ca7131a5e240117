import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditEntry, openApi, type TokenIdentity } from '@dramaturg/service';
import { createHost, type Host, sqliteStore, understudyPorts } from 'dramaturg';
import { type ServeHostOptions, serveHost } from 'dramaturg/service';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { example } from './stage.ts';

/** The operations of the service itself, so that a new one is tested too. */
const { paths } = openApi() as { readonly paths: Readonly<Record<string, Methods>> };
type Methods = Readonly<Record<string, { readonly operationId: string }>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({
    name: operationId,
    method: method.toUpperCase(),
    path,
  })),
);

const identities: Readonly<Record<string, TokenIdentity>> = {
  acme: { name: 'acme', tenant: 'acme', scopes: ['read', 'converse', 'operate', 'define'] },
  bolt: { name: 'bolt', tenant: 'bolt', scopes: ['read', 'converse', 'operate', 'define'] },
  'bolt-admin': { name: 'bolt-admin', tenant: 'bolt', scopes: ['admin'] },
  root: { name: 'root', scopes: ['admin'] },
  stray: { name: 'stray', scopes: ['read', 'converse', 'operate', 'define'] },
  gone: { name: 'gone', tenant: 'gone', scopes: ['admin'] },
};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A host with a store of its own. */
async function newHost(): Promise<Host> {
  const host = await createHost({
    store: sqliteStore(join(await newFolder(), 'data.db')),
    definitions: {
      intake: await example('customer-intake.plan'),
      refund: await example('refund.asl'),
    },
    ports: understudyPorts(),
    channels: { main: { deliver: async () => {} } },
  });
  onTestFinished(() => host.stop({ within: 1_000 }));
  return host;
}

async function serve(
  hosts: Host | ReadonlyMap<string, Host>,
  options: Partial<ServeHostOptions> = {},
) {
  const tokens = (token: string) =>
    Object.hasOwn(identities, token) ? identities[token] : undefined;
  const { url, end } = await serveHost(hosts, {
    http: '127.0.0.1:0',
    tokens,
    ...options,
  });
  onTestFinished(end);
  return async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body ?? null,
    });
    const { status } = response;
    const answered = await firstOf(response);
    return { status, text: answered, body: asJson(answered) };
  };
}

/** The whole body, or the first part of a stream. */
async function firstOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return response.text();
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

function asJson(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** A text of acme that no request of others contains. */
const secret = 'only acme knows this';

/** A service with two tenants. Each has a conversation, and acme has a workflow too. */
async function twoTenants(options: Partial<ServeHostOptions> = {}) {
  const hosts = new Map([
    ['acme', await newHost()],
    ['bolt', await newHost()],
  ]);
  const ask = await serve(hosts, options);
  const post = (token: string, path: string, body: object) =>
    ask('POST', path, bearer(token), JSON.stringify(body));
  await post('acme', '/instances', { definition: 'intake', contact: 'acme-ada', id: 'acme-1' });
  await post('acme', '/instances', {
    definition: 'refund',
    id: 'acme-2',
    input: { amount: 5, customer: secret },
  });
  await post('acme', '/messages', { contact: 'acme-ada', text: secret });
  await post('bolt', '/instances', { definition: 'intake', contact: 'bolt-bob', id: 'bolt-1' });
  await Promise.all([...hosts.values()].map((host) => host.settle()));
  return { ask, post, hosts };
}

describe('a tenant', () => {
  test('has a store of its own', async () => {
    const { ask, post } = await twoTenants();
    const idsOf = async (token: string) =>
      ((await ask('GET', '/instances', bearer(token))).body['items'] as { id: string }[])
        .map(({ id }) => id)
        .toSorted();
    expect(await idsOf('acme')).toEqual(['acme-1', 'acme-2']);
    expect(await idsOf('bolt')).toEqual(['bolt-1']);
    // The same id and the same contact are others.
    const start = { definition: 'intake', contact: 'acme-ada', id: 'acme-1' };
    expect((await post('bolt', '/instances', start)).status).toBe(201);
    expect(await idsOf('acme')).toEqual(['acme-1', 'acme-2']);
  });

  test('cannot tell an id of another tenant from one that does not exist', async () => {
    const { ask } = await twoTenants();
    for (const { name, method, path } of operations) {
      const answers = [];
      for (const id of ['acme-1', 'none-1']) {
        const body = method === 'GET' ? undefined : (bodies[name] ?? '{}');
        const target = path.replace('{id}', path.startsWith('/decisions') ? `${id}%2Fx` : id);
        const { status, text } = await ask(method, target, bearer('bolt'), body);
        answers.push([name, status, text.replaceAll(id, 'ID')]);
      }
      expect(path.includes('{id}') ? answers[0] : []).toEqual(
        path.includes('{id}') ? answers[1] : [],
      );
    }
  });

  test('gets no events of another one', async () => {
    const { ask } = await twoTenants();
    const events = (id: string) =>
      ask('GET', `/events?instance=${id}&after=beginning`, bearer('bolt'));
    const [foreign, unknown] = [await events('acme-1'), await events('none-1')];
    expect(foreign.text.replaceAll('acme-1', 'ID')).toBe(unknown.text.replaceAll('none-1', 'ID'));
    expect(foreign.status).toBe(unknown.status);
  });

  test('is never reached by a request with ids, tokens and headers of others', async () => {
    const { ask, hosts } = await twoTenants();
    const page = { limit: 100 };
    const before = await hosts.get('acme')!.list({}, page);
    const own = await ask('GET', '/instances/acme-1/transcript', bearer('acme'));
    expect(own.text).toContain(secret);
    const request = fc.record({
      operation: fc.constantFrom(
        ...operations.filter(({ name }) => !['backup', 'erase', 'define'].includes(name)),
      ),
      token: fc.constantFrom('bolt', 'bolt-admin', 'stray', 'gone'),
      id: fc.oneof(
        fc.constantFrom(
          'acme-1',
          'acme-2',
          '../acme/acme-1',
          'acme/acme-1',
          'acme-2/x',
          '__proto__',
        ),
        fc.string(),
      ),
      tenant: fc.option(
        fc.constantFrom('acme', 'ACME', 'bolt', 'acme, bolt', '*', '__proto__', 'constructor'),
        { nil: undefined },
      ),
      query: fc.constantFrom('', '?prefix=acme', '?contact=acme-ada', '?tenant=acme', '?limit=1'),
    });
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(
        request,
        async ({ operation: { name, method, path }, token, id, tenant, query }) => {
          const target =
            path.replace('{id}', () => encodeURIComponent(id)) + (method === 'GET' ? query : '');
          const headers = {
            ...bearer(token),
            ...(tenant === undefined ? {} : { 'dramaturg-tenant': tenant }),
          };
          const body = method === 'GET' ? undefined : (bodies[name] ?? '{}');
          const answer = await ask(method, target, headers, body);
          seen.add(answer.status);
          expect(answer.status).toBeLessThan(500);
          expect(answer.text).not.toContain(secret);
        },
      ),
      { numRuns: 400 },
    );
    expect([...seen]).toEqual(expect.arrayContaining([200, 403, 404]));
    expect(await hosts.get('acme')!.list({}, page)).toEqual(before);
  });

  test('has its own admin, whose rights end at its store', async () => {
    const { ask } = await twoTenants();
    expect((await ask('GET', '/instances/bolt-1', bearer('bolt-admin'))).status).toBe(200);
    expect((await ask('GET', '/instances/acme-1', bearer('bolt-admin'))).status).toBe(404);
    const headers = { ...bearer('bolt-admin'), 'dramaturg-tenant': 'acme' };
    expect(await ask('GET', '/instances/acme-1', headers)).toMatchObject({
      status: 403,
      body: { code: 'access/tenant' },
    });
  });

  test('cannot have a backup written to a path of the machine', async () => {
    const { post, ask } = await twoTenants();
    const target = join(await newFolder(), 'copy.db');
    expect(await post('bolt-admin', '/backup', { target })).toMatchObject({
      status: 403,
      body: { code: 'access/tenant' },
    });
    const headers = { ...bearer('root'), 'dramaturg-tenant': 'bolt' };
    expect((await ask('POST', '/backup', headers, JSON.stringify({ target }))).status).toBe(200);
  });

  test('is named by an admin without a tenant, and by nobody else', async () => {
    const { ask } = await twoTenants();
    const as = (token: string, tenant?: string) =>
      ask('GET', '/instances/acme-1', {
        ...bearer(token),
        ...(tenant === undefined ? {} : { 'dramaturg-tenant': tenant }),
      });
    expect(await as('root', 'acme')).toMatchObject({ status: 200, body: { id: 'acme-1' } });
    expect(await as('root', 'bolt')).toMatchObject({ status: 404 });
    expect(await as('root')).toMatchObject({ status: 400, body: { code: 'access/tenant-needed' } });
    expect(await as('root', 'none')).toMatchObject({
      status: 404,
      body: { code: 'access/unknown-tenant' },
    });
    for (const tenant of [undefined, 'acme'])
      expect(await as('stray', tenant)).toMatchObject({
        status: 403,
        body: { code: 'access/tenant' },
      });
    expect(await as('gone')).toMatchObject({ status: 403, body: { code: 'access/tenant' } });
    expect(await as('acme', 'acme')).toMatchObject({ status: 200 });
  });

  test('is in the audit log', async () => {
    const folder = await newFolder();
    const audit = join(folder, 'audit.jsonl');
    const { post } = await twoTenants({ audit });
    await post('bolt', '/instances/acme-1/pause', {});
    const lines = (await readFile(audit, 'utf8')).trim().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as AuditEntry);
    expect(entries.map(({ tenant, target, outcome }) => [tenant, target, outcome])).toEqual([
      ['bolt', 'acme-1', 'started'],
      ['bolt', 'acme-1', 'refused'],
    ]);
  });
});

test('a service without tenants refuses tokens of a tenant, and requests that name one', async () => {
  const ask = await serve(await newHost());
  expect((await ask('GET', '/instances', bearer('stray'))).status).toBe(200);
  expect(await ask('GET', '/instances', bearer('acme'))).toMatchObject({
    status: 403,
    body: { code: 'access/tenant' },
  });
  const named = { ...bearer('root'), 'dramaturg-tenant': 'acme' };
  expect((await ask('GET', '/instances', named)).status).toBe(403);
});

/** A valid body for each route that needs one. */
const bodies: Readonly<Record<string, string>> = {
  decide: '{"decision":"approve"}',
  send: '{"event":{"type":"message.received","text":"Hi"}}',
  intervene: '{"text":"Hi"}',
  fork: '{"step":1}',
  start: '{"definition":"intake","contact":"bolt-x"}',
  receive: '{"contact":"acme-ada","text":"Hi"}',
  check: '{"name":"x","text":"{}"}',
  define: '{"text":"{}"}',
};
