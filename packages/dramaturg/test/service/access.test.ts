import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@dramaturg/service/client';
import { createHost, memoryStore, understudyPorts } from 'dramaturg';
import { type Authenticate, type Scope, serveHost } from 'dramaturg/service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { example, served } from './stage.ts';

/** Tokens such as `desk.read+operate~acme`: a name, scopes, and a tenant. */
const authenticate: Authenticate = (token) => {
  const [, name, scopes = '', tenant] = /^(\w+)\.([\w+]+)(?:~(\w+))?$/.exec(token) ?? [];
  if (name === undefined) return undefined;
  return {
    name,
    scopes: scopes.split('+') as Scope[],
    roles: [],
    ...(tenant !== undefined && { tenant }),
  };
};

const as = (token: string) => ({ authorization: `Bearer ${token}` });

describe('scopes', () => {
  const routes: [method: string, path: string, scope: Scope, body?: unknown][] = [
    ['GET', '/instances', 'read'],
    ['GET', '/status', 'read'],
    ['POST', '/messages', 'converse', { contact: 'a', text: 'b' }],
    ['POST', '/instances', 'converse', { definition: 'intake' }],
    ['POST', '/instances/i/pause', 'operate', {}],
    ['POST', '/decisions/i%2Fd', 'operate', { decision: 'approve' }],
    ['POST', '/check', 'define', { name: 'a', text: '{}' }],
    ['POST', '/erase', 'admin', { contact: 'nobody', running: 'refuse' }],
    ['GET', '/verify', 'admin'],
  ];
  const scopes: readonly Scope[] = ['read', 'converse', 'operate', 'define', 'admin'];
  test.each(routes)('%s %s needs %s', async (method, path, scope, body) => {
    const { ask } = await served({ tokens: authenticate });
    expect((await ask(method, path, body)).status).toBe(401);
    for (const given of scopes) {
      const { status } = await ask(method, path, body, as(`t.${given}`));
      expect([given, status === 403]).toEqual([given, given !== scope && given !== 'admin']);
    }
  });
});

test('the token says who decides and who starts, and the body cannot', async () => {
  const { ask, host } = await served(
    { tokens: authenticate },
    { definitions: { refund: await example('refund.asl') }, ports: {} },
  );
  const started = await ask(
    'POST',
    '/instances',
    { definition: 'refund', id: 'r', input: { amount: 5, customer: 'x' } },
    as('carla.converse'),
  );
  expect(started.status).toBe(201);
  await host.settle();
  const { items } = (await ask('GET', '/decisions', undefined, as('ana.read'))).body;
  const path = `/decisions/${encodeURIComponent(String(items[0]!['decision']))}`;
  const decide = (body: object, token: string) => ask('POST', path, body, as(token));
  expect(await decide({ decision: 'approve', by: 'ana' }, 'eve.operate')).toMatchObject({
    status: 400,
    body: { code: 'request/identity', errors: [{ path: '/by' }] },
  });
  expect(await decide({ decision: 'approve', roles: ['boss'] }, 'eve.operate')).toMatchObject({
    status: 400,
    body: { code: 'request/identity' },
  });
  // Eve is not one of the approvers, whatever way she takes.
  expect((await decide({ decision: 'approve' }, 'eve.operate')).status).toBe(409);
  const event = { type: 'decision.made', id: 'x', decision: 'approve', by: 'ana' };
  expect(await ask('POST', '/instances/r/send', { event }, as('eve.operate'))).toMatchObject({
    status: 400,
    body: { code: 'request/identity' },
  });
  expect((await decide({ decision: 'approve' }, 'ana.operate')).status).toBe(200);
});

test('tenants cannot see each other', async () => {
  const hosts = new Map(
    await Promise.all(
      ['acme', 'globex'].map(async (name) => {
        const host = await createHost({
          store: memoryStore(),
          definitions: { intake: await example('customer-intake.plan') },
          ports: understudyPorts(),
        });
        onTestFinished(() => host.stop({ within: 0 }));
        await host.start('intake', { id: `of-${name}`, contact: 'ada' });
        return [name, host] as const;
      }),
    ),
  );
  const { url } = await serveHost(hosts, { http: '127.0.0.1:0', tokens: authenticate });
  const ask = async (path: string, token: string, headers = {}) => {
    const response = await fetch(url + path, { headers: { ...as(token), ...headers } });
    return { status: response.status, body: await response.text() };
  };
  const mine = await ask('/instances', 'desk.read~acme');
  expect(mine.body).toContain('of-acme');
  expect(mine.body).not.toContain('of-globex');
  const foreign = await ask('/instances/of-globex', 'desk.read~acme');
  const unknown = await ask('/instances/of-nobody', 'desk.read~acme');
  expect(foreign).toEqual({ ...unknown, body: unknown.body.replace('of-nobody', 'of-globex') });
  const header = { 'dramaturg-tenant': 'globex' };
  expect((await ask('/instances', 'desk.read~acme', header)).status).toBe(403);
  expect((await ask('/instances', 'desk.read~nobody')).status).toBe(403);
  expect((await ask('/instances', 'root.admin', header)).body).toContain('of-globex');
  expect((await ask('/instances', 'root.admin')).status).toBe(400);
});

test('a service without tokens does not listen for other computers', async () => {
  await expect(served({ http: '0.0.0.0:0' })).rejects.toThrow(
    'Other computers can reach "0.0.0.0", and a service without tokens listens on loopback only.',
  );
  await expect(served({ tokens: '/nowhere/tokens.json' })).rejects.toMatchObject({
    name: 'TokensError',
    code: 'access/tokens-unreadable',
  });
});

test('the first example of the page works with exactly the token that it makes', async () => {
  const page = await readFile(accessPage, 'utf8');
  const [create = '', , list = ''] = /```sh\n([^`]*)```/.exec(page)![1]!.trim().split('\n');
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const made = await dramaturg(create.split(' ').slice(1), { cwd: folder });
  const [token] = /dmt_[\w-]{43}/.exec(made.stdout) ?? [];
  const { url, host } = await served({ tokens: join(folder, 'tokens.json') });
  await host.start('intake', { id: 'of-ada', contact: 'ada' });
  const [, name] = list.replace(/^\S+ /, '').split(' ');
  for (const args of [[name!], [name!, '--json'], ['show', 'of-ada'], ['pause', 'of-ada']]) {
    const [verb, ...rest] = args as [string, ...string[]];
    const env = { DRAMATURG_TOKEN: token };
    expect(await dramaturg([verb, url, ...rest], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/of-ada/),
    });
  }
});

const accessPage = new URL('../../../../docs/access.md', import.meta.url);

test('the file of tokens on the page lets its holder do what it says, in its tenant only', async () => {
  const page = await readFile(accessPage, 'utf8');
  const token = `dmt_${'a'.repeat(43)}`;
  const file = JSON.parse(/```json\n([^`]*)```/.exec(page)![1]!) as { tokens: [object] };
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const sha256 = createHash('sha256').update(token).digest('hex');
  const [fields] = file.tokens;
  const expires = { expires_at: '2999-03-02T09:30:00Z' };
  await writeFile(
    join(folder, 'tokens.json'),
    JSON.stringify({ tokens: [{ ...fields, ...expires, sha256 }] }),
    { mode: 0o600 },
  );
  const { host } = await served();
  const { url } = await serveHost(new Map([['acme', host]]), {
    http: '127.0.0.1:0',
    tokens: join(folder, 'tokens.json'),
  });
  const statusOf = async (path: string, body?: object) => {
    const headers = { ...as(token), 'content-type': 'application/json' };
    const given = body && { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(url + path, { headers, ...given })).status;
  };
  await host.start('intake', { id: 'a', contact: 'ada' });
  expect(await statusOf('/instances/a')).toBe(200);
  expect(await statusOf('/instances/a/pause', {})).toBe(200);
  expect(await statusOf('/messages', { contact: 'ada', text: 'Hello' })).toBe(403);
  expect(await statusOf('/verify')).toBe(403);
});

test('each operation is on the page under the scope that it needs', async () => {
  const page = await readFile(accessPage, 'utf8');
  const rows = page.matchAll(/^\| `(\w+)` +\| ([^|]*)\|$/gm);
  const shown = Array.from(rows).flatMap(([, scope, covers]) =>
    Array.from(covers!.matchAll(/`(\w+)`/g), ([, name]) => [name, scope]),
  );
  const own = Object.entries(operations).map(([name, { scope }]) => [name, scope]);
  // A stream is a route of its own.
  expect(new Map([...own, ['events', 'read']] as [string, string][])).toEqual(
    new Map(shown as [string, string][]),
  );
});

test('a larger limit of bodies holds for all routes', async () => {
  const file = { name: 'large', text: 'a'.repeat(1_200_000), fileName: 'large.json' };
  const small = await served();
  expect((await small.ask('POST', '/check', file)).status).toBe(413);
  const large = await served({ limits: { bodyBytes: 2_000_000 } });
  expect((await large.ask('POST', '/check', file)).status).toBe(200);
});

test('actions of operators are in the audit log, without what was said', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const audit = join(folder, 'audit.jsonl');
  const { ask, host } = await served({ tokens: authenticate, audit });
  await host.start('intake', { id: 'conversation', contact: 'ada' });
  await host.settle();
  const body = { text: 'A secret word' };
  expect(
    (await ask('POST', '/instances/conversation/intervene', body, as('eve.read'))).status,
  ).toBe(403);
  expect(
    (await ask('POST', '/instances/conversation/intervene', body, as('ana.operate'))).status,
  ).toBe(200);
  const text = await readFile(audit, 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { principal: 'eve', action: 'intervene', target: 'conversation', outcome: 'denied' },
    { principal: 'ana', action: 'intervene', target: 'conversation', outcome: 'started' },
    { principal: 'ana', action: 'intervene', target: 'conversation', outcome: 'done' },
  ]);
  expect(text).not.toContain('secret');
});

test('actions over the socket of the store are in the audit log too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const audit = join(folder, 'audit.jsonl');
  const { host, store } = await served({ tokens: authenticate, audit });
  await host.start('intake', { id: 'conversation', contact: 'ada' });
  await host.settle();
  expect(await dramaturg(['pause', store, 'conversation'])).toMatchObject({ code: 0 });
  const lines = (await readFile(audit, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { principal: 'socket', action: 'pause', target: 'conversation', outcome: 'started' },
    { principal: 'socket', action: 'pause', target: 'conversation', outcome: 'done' },
  ]);
});
