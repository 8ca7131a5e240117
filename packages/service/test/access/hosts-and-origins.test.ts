import { AccessError, guard, requireLoopback } from '@dramaturg/service';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AllowedHosts, hostIn, isLoopback } from '../../src/access/hosts.ts';
import { AllowedOrigins } from '../../src/access/guard.ts';
import { authenticate, bearer, sendRaw, serveGuarded } from './guarded.ts';

const page = 'https://desk.example.com';

describe('DNS rebinding', () => {
  test('the service answers under its own names and under addresses', async () => {
    const { ask, port } = await serveGuarded({ allowedHosts: ['Desk.example.com'] });
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      'localhost',
      '[::1]:80',
      '192.168.0.7:8080',
      'desk.example.com',
      'DESK.example.com:8443',
    ])
      expect((await ask('GET', '/me', { host })).status).toBe(200);
  });

  test('a name that is not allowed is refused before the token is looked at', async () => {
    const seen: string[] = [];
    const { ask } = await serveGuarded({
      allowedHosts: ['desk.example.com:8443'],
      authenticate: (token) => {
        seen.push(token);
        return undefined;
      },
    });
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      'desk.example.com',
      'desk.example.com:80',
      '127.0.0.1.evil.example',
      'localhost:80:80',
    ]) {
      const { status, body } = await ask('GET', '/me', { host, ...bearer('root') });
      expect([host, status, body['code'] ?? 'access/host']).toEqual([
        host,
        host === 'localhost:80:80' ? 400 : 421,
        'access/host',
      ]);
    }
    expect(seen).toEqual([]);
  });

  test('a host in the request line counts as well', async () => {
    const { port } = await serveGuarded();
    const ask = (target: string, host: string) =>
      sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await ask('http://evil.example/me', 'localhost')).toContain('421 Misdirected');
    expect(await ask('http://localhost/me', 'evil.example')).toContain('421 Misdirected');
    expect(await ask('/me', 'localhost\r\nHost: evil.example')).toMatch(/^HTTP\/1.1 (400|421)/);
    expect(await ask('http://localhost/me', 'localhost')).toContain('200 OK');
  });

  test('only loopback names, addresses and the given names are allowed, however a host is written', () => {
    const hosts = new AllowedHosts(['desk.example.com']);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.domain(), fc.webAuthority()), (header) => {
        const host = hostIn(header);
        return (
          !hosts.has(header) ||
          (host !== undefined &&
            (['localhost', 'desk.example.com'].includes(host.name) || /^[[\d]/.test(host.name)))
        );
      }),
    );
    fc.assert(
      fc.property(fc.domain(), (name) => {
        expect(hosts.has(name)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.ipV4(),
          fc.ipV6().map((six) => `[${six}]`),
        ),
        (address) => hosts.has(`${address}:8080`),
      ),
    );
  });
});

describe('pages of other sites', () => {
  test('a page of the service and of an allowed origin may send requests', async () => {
    const { ask, port } = await serveGuarded({ allowedOrigins: [page] });
    for (const origin of [`http://127.0.0.1:${port}`, page]) {
      const { status, headers } = await ask('POST', '/messages', { origin }, '"Hi"');
      expect(status).toBe(200);
      expect(headers['vary']).toContain('Origin');
      expect(headers['access-control-allow-origin']).toBe(origin === page ? page : undefined);
    }
  });

  test.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { origin: 'https://desk.example.com.evil.example' },
    { origin: 'http://desk.example.com' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  ])('a request of another page changes nothing: %j', async (headers) => {
    const { ask, reached } = await serveGuarded({ allowedOrigins: [page] });
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const path = method === 'GET' ? '/me' : '/messages';
      const answer = await ask(
        method,
        path,
        { ...headers },
        method === 'POST' ? '"Hi"' : undefined,
      );
      expect(answer).toMatchObject({ status: 403, body: { code: 'access/origin' } });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect(reached).toEqual([]);
  });

  test('a link of another page may be followed, and a form of another page is not taken', async () => {
    const { ask } = await serveGuarded();
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await ask('GET', '/me', link)).status).toBe(200);
    expect((await ask('POST', '/messages', link, '"Hi"')).status).toBe(403);
  });

  test('a preflight of an allowed origin needs no token, and its request does', async () => {
    const { ask } = await serveGuarded({ authenticate, allowedOrigins: [page] });
    const preflight = { origin: page, 'access-control-request-method': 'POST' };
    const { status, headers } = await ask('OPTIONS', '/messages', preflight);
    expect([status, headers['access-control-allow-origin']]).toEqual([204, page]);
    expect(headers['access-control-allow-headers']).toContain('authorization');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    const refused = await ask('POST', '/messages', { origin: page }, '"Hi"');
    expect(refused.status).toBe(401);
    // The page can read why.
    expect(refused.headers['access-control-allow-origin']).toBe(page);
  });

  test('no origin but the own one and the allowed ones passes, however it is written', () => {
    const origins = new AllowedOrigins([page]);
    const own = {
      host: 'localhost:8080',
      site: undefined,
      mode: undefined,
      destination: undefined,
    };
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.webAuthority().map((host) => `http://${host}`),
        ),
        fc.constantFrom('GET', 'POST'),
        (origin, method) => {
          expect(origins.refuses({ ...own, origin, method })).toBe(true);
        },
      ),
    );
  });
});

describe('a service without tokens', () => {
  test('listens on loopback only, and says what to do', () => {
    for (const address of [
      '127.0.0.1',
      '127.8.9.1',
      '::1',
      '[::1]',
      'localhost',
      '::ffff:127.0.0.1',
    ])
      requireLoopback(address);
    for (const address of ['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com', ''])
      expect(() => requireLoopback(address)).toThrow(
        'a service without tokens listens on loopback only',
      );
    fc.assert(fc.property(fc.domain(), (name) => !isLoopback(name)));
  });

  test('may do everything, and not through a proxy', async () => {
    const { ask } = await serveGuarded();
    expect((await ask('GET', '/me')).body).toMatchObject({ name: 'loopback', via: 'loopback' });
    for (const header of ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'])
      expect(await ask('GET', '/me', { [header]: '203.0.113.9' })).toMatchObject({
        status: 403,
        body: { code: 'access/tokens-needed' },
      });
  });
});

test('malformed options are refused when the guard is made', () => {
  for (const host of ['https://a.example', 'a.example/x', '', 'a:b', 'a..%'])
    expect(() => guard({ allowedHosts: [host] })).toThrow('is not the name of a host');
  for (const origin of ['a.example', 'https://a.example/', '*', 'null', 'https://a.example:443'])
    expect(() => guard({ allowedOrigins: [origin] })).toThrow('is not an origin');
  expect(() => guard({ allowedOrigins: ['*'] })).toThrow(AccessError);
});
