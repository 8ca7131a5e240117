import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Scope, scopeSchema, tenantOf } from '@dramaturg/service';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bearerIn, networkOf } from '../../src/access/guarded-requests.ts';
import { eventsRoute, operations } from '../../src/operations.ts';
import { authenticate, bearer, serveGuarded } from './guarded.ts';

const requests: readonly [scope: Scope, method: string, path: string][] = [
  ['read', 'GET', '/me'],
  ['converse', 'POST', '/messages'],
  ['operate', 'POST', '/instances/i-1/pause'],
  ['define', 'PUT', '/definitions/intake'],
  ['admin', 'POST', '/backup'],
];

test('a request without a token is challenged', async () => {
  const { ask } = await serveGuarded({ authenticate });
  const { status, headers, body } = await ask('GET', '/me');
  expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="dramaturg"']);
  expect(headers['content-type']).toBe('application/problem+json');
  expect(body).toEqual({
    type: 'about:blank',
    title: 'Unauthorized',
    status: 401,
    detail: 'The request has no token.',
    code: 'access/unauthenticated',
    hint: 'Send the header "authorization: Bearer dmt_…".',
  });
});

test.each([
  'Bearer nobody',
  'bearer',
  'Bearer',
  'Basic cm9vdDo=',
  'Bearer root, Bearer root',
  'root',
  'Bearer ro ot',
])('a header that has no valid token is refused: %s', async (authorization) => {
  const { ask } = await serveGuarded({ authenticate });
  const answer = await ask('GET', '/me', { authorization });
  expect(answer).toMatchObject({ status: 401, body: { code: 'access/unknown-token' } });
  expect(answer.headers['www-authenticate']).toBe(
    'Bearer realm="dramaturg", error="invalid_token"',
  );
});

test('a token in the address, in a cookie or in a second header does not count', async () => {
  const { ask } = await serveGuarded({ authenticate });
  expect((await ask('GET', '/me?access_token=root&token=root')).status).toBe(401);
  expect((await ask('GET', '/me', { cookie: 'token=root' })).status).toBe(401);
  const twice = await ask('GET', '/me', { authorization: ['Bearer nobody', 'Bearer root'] });
  expect(twice.status).toBe(401);
});

test('a principal has what its token says', async () => {
  const { ask } = await serveGuarded({
    authenticate: () => ({ name: 'ada', scopes: ['read'], tenant: 'acme', roles: ['finance'] }),
  });
  const { body, headers } = await ask('GET', '/me', bearer('x'));
  expect(body).toEqual({
    name: 'ada',
    scopes: ['read'],
    tenant: 'acme',
    roles: ['finance'],
    via: 'token',
  });
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test('a route may return the response of another server', async () => {
  const { ask } = await serveGuarded();
  const { status, headers } = await ask('GET', '/elsewhere');
  expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  expect(headers['x-content-type-options']).toBe('nosniff');
});

test('a callback that fails, or answers nonsense, lets nobody in', async () => {
  const errors: unknown[] = [];
  const answers: readonly (() => unknown)[] = [
    () => {
      throw new Error('The database is down.');
    },
    () => Promise.reject(new Error('Timeout.')),
    () => ({ name: 'x', scopes: ['everything'] }),
    () => ({ scopes: ['admin'] }),
    () => true,
    () => ({ name: 'x', scopes: ['admin'], tenant: '../acme' }),
  ];
  for (const answer of answers) {
    const { ask } = await serveGuarded({
      authenticate: answer as never,
      onError: (error) => errors.push(error),
    });
    const refused = await ask('GET', '/me', bearer('x'));
    expect(refused).toMatchObject({ status: 503, body: { code: 'access/unavailable' } });
    expect(JSON.stringify(refused.body)).not.toContain('database');
  }
  expect(errors).toHaveLength(answers.length);
});

describe('scopes', () => {
  test('each covers only itself, and admin covers all', async () => {
    const { ask } = await serveGuarded({
      authenticate: (scope) => ({ name: 'x', scopes: [scope as Scope] }),
    });
    for (const scope of scopeSchema.options) {
      for (const [needed, method, path] of requests) {
        const { status, body } = await ask(method, path, bearer(scope));
        const isAllowed = scope === needed || scope === 'admin';
        const refusal = isAllowed ? undefined : 'access/scope';
        expect([scope, needed, status === 403, body['code']]).toEqual([
          scope,
          needed,
          !isAllowed,
          refusal,
        ]);
      }
    }
  });

  test('a token without scopes may do nothing', async () => {
    const { ask, reached } = await serveGuarded({
      authenticate: () => ({ name: 'x', scopes: [] }),
    });
    for (const [, method, path] of requests)
      expect((await ask(method, path, bearer('x'))).status).toBe(403);
    expect(reached).toEqual([]);
  });

  test('the table of the documentation has every route', async () => {
    const text = await readFile(new URL('../../../../docs/access.md', import.meta.url), 'utf8');
    const rows = new Map(
      [...text.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)].map(([, scope, names]) => [scope, names]),
    );
    const all = [
      ...Object.entries(operations).map(([name, { scope }]) => [name, scope] as const),
      ['events', eventsRoute.scope] as const,
    ];
    for (const [name, scope] of all) {
      expect([name, rows.get(scope)?.includes(`\`${name}\``)]).toEqual([name, true]);
    }
  });
});

test('the tests that the documentation names exist', async () => {
  const page = await readFile(new URL('../../../../docs/access.md', import.meta.url), 'utf8');
  const [, ...rows] = page.slice(page.indexOf('| threat ')).split('\n\n')[0]!.split('\n');
  const named = rows.slice(1).map((row) => row.split('|').at(-2)!.trim());
  const folders = ['.', '../../../dramaturg/test/service'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const texts = await Promise.all(
    folders.map(async (folder) => {
      const files = (await readdir(folder)).filter((name) => name.endsWith('.test.ts'));
      return Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
    }),
  );
  const tests = texts.flat().join('\n');
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !tests.includes(`'${name}`))).toEqual([]);
});

test('a malformed header is never a token, and a token is found in any case of the scheme', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const token = bearerIn(header);
      return token === undefined || /^bearer +[\w.~+/-]+=*$/i.test(header);
    }),
  );
  const token = fc.stringMatching(/^[A-Za-z0-9._~+/-]{1,100}={0,2}$/);
  fc.assert(
    fc.property(
      token,
      fc.mixedCase(fc.constant('bearer')),
      (given, scheme) => bearerIn(`${scheme} ${given}`) === given,
    ),
  );
  expect(bearerIn(`Bearer ${'x'.repeat(5_000)}`)).toBeUndefined();
});

test('all addresses of an IPv6 network are counted as one', () => {
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::9'));
  expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8::ffff'));
  expect(networkOf('2001:db8:1:3::1')).not.toBe(networkOf('2001:db8:1:2::1'));
  expect(networkOf('::ffff:203.0.113.9')).toBe('203.0.113.9');
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      expect(networkOf(address)).toMatch(/^[0-9a-f:]+::\/64$/);
    }),
  );
});

test('names of objects are not tenants', () => {
  const root = { name: 'root', scopes: ['admin'], roles: [], via: 'token' } as const;
  for (const name of ['__proto__', 'constructor', 'toString', '', ' '])
    expect(() => tenantOf(root, name, new Map([['acme', 1]]))).toThrow(
      'There is no tenant of this name.',
    );
  expect(tenantOf(root, 'acme', new Map([['acme', 1]]))).toEqual({ name: 'acme', value: 1 });
});
