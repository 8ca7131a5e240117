import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { guardedFetch } from '../src/client/guarded-fetch.ts';
import { oauthServer } from './servers/oauth.ts';
import { httpServer } from './servers/http.ts';
import { calling, codeOf } from './use.ts';

const metadata = 'http://169.254.169.254/latest/meta-data/';

/** A server that only this machine reaches, and the headers of its requests. */
async function innerServer() {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end('{"secret":1}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, seen };
}

test('a server cannot redirect to a metadata service', async () => {
  await using server = await httpServer();
  server.faults.current = (_, response) => {
    response.writeHead(307, { location: metadata }).end();
    return true;
  };
  await calling({ servers: { crm: { url: server.url } } }, async (call) => {
    expect(await codeOf(call('echo'))).toBe('mcp/not-allowed');
    await expect(call('echo')).rejects.toThrow('The MCP server leads to "http://169.254.169.254"');
  });
});

test('a server cannot name a metadata service as the place of its authorization', async () => {
  await using server = await oauthServer('geheim-geheim-geheim');
  const clientCredentials = {
    clientId: 'desk',
    clientSecret: 'geheim-geheim-geheim',
    issuer: server.issuer,
  };
  await using hostile = await httpServer();
  hostile.faults.current = (_, response) => {
    const challenge = `Bearer resource_metadata="${metadata}"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
    return true;
  };
  const sent = vi.spyOn(globalThis, 'fetch');
  onTestFinished(() => sent.mockRestore());
  await calling({ servers: { crm: { url: hostile.url, clientCredentials } } }, async (call) => {
    expect(await codeOf(call('echo'))).not.toBe('no error');
  });
  const hosts = sent.mock.calls.map(
    ([input]) => new URL(input instanceof Request ? input.url : input).host,
  );
  expect(new Set(hosts)).toEqual(new Set([new URL(hostile.url).host]));
});

test('a redirect within a server is followed, also with data', async () => {
  await using server = await httpServer();
  let isFirst = true;
  server.faults.current = (request, response) => {
    if (request.method !== 'POST' || !isFirst) return false;
    isFirst = false;
    response.writeHead(308, { location: '/mcp' }).end();
    return true;
  };
  await calling({ servers: { crm: { url: server.url } } }, async (call) => {
    expect(await call('echo', { a: 1 })).toBe('{"a":1}');
  });
});

test('the data and the token of a request stay with its server', async () => {
  const other = await innerServer();
  await using server = await httpServer();
  server.faults.current = (_, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` }).end();
    return true;
  };
  const init = { headers: { authorization: 'Bearer of-the-server' } };
  await expect(guardedFetch(server.url)(server.url, { ...init, method: 'POST' })).rejects.toThrow(
    'a request with data is not sent to another server',
  );
  expect(other.seen).toEqual([]);
  expect((await guardedFetch(server.url)(server.url, init)).status).toBe(200);
  expect(other.seen).toEqual([undefined]);
});

test('endless redirects end', async () => {
  await using server = await httpServer();
  let count = 0;
  server.faults.current = (_, response) => {
    count += 1;
    response.writeHead(302, { location: '/again' }).end();
    return true;
  };
  await expect(guardedFetch(server.url)(server.url)).rejects.toThrow('redirected too often');
  expect(count).toBe(6);
});

test('a server outside does not lead into the network of this machine', async () => {
  const inner = await innerServer();
  const fromOutside = guardedFetch('https://203.0.113.9/mcp');
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
    await expect(fromOutside(`http://${host}:${inner.port}/`)).rejects.toThrow(
      'it is in a private network, and the server is not',
    );
  expect(inner.seen).toEqual([]);
  const fromInside = guardedFetch('http://10.0.0.7/mcp');
  expect((await fromInside(`http://127.0.0.1:${inner.port}/`)).status).toBe(200);
});

test.each([
  '169.254.169.254',
  '[::ffff:169.254.169.254]',
  '2852039166',
  '[fe80::1]',
  '0.0.0.0',
  '[fd00:ec2::254]',
])('no server leads to %s', async (host) => {
  for (const own of ['http://127.0.0.1/mcp', 'https://203.0.113.9/mcp'])
    await expect(guardedFetch(own)(`http://${host}/`)).rejects.toThrow(
      'it is an address of the link or of a metadata service',
    );
});
