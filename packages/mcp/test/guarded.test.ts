import { createServer } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { guardedFetch, type LookUp } from '../src/client/guarded-fetch.ts';
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

/** A lookup that gives these answers one after another, and the last one from then on. */
function answering(
  ...answers: readonly (readonly string[])[]
): LookUp & { readonly names: string[] } {
  const names: string[] = [];
  const lookUp: LookUp = (name, _, answer) => {
    const addresses = answers[Math.min(names.length, answers.length - 1)]!;
    names.push(name);
    answer(
      null,
      Array.from(addresses, (address) => ({ address, family: isIP(address) })),
    );
  };
  return Object.assign(lookUp, { names });
}

test('a connection goes to the address that was checked, and its name is not looked up again', async () => {
  const inner = await innerServer();
  // Nothing answers at the second address.
  const lookUp = answering(['127.0.0.1'], ['127.0.0.2']);
  const fromInside = guardedFetch('http://10.0.0.7/mcp', lookUp);
  const url = `http://rebinding.test:${inner.port}/`;
  expect(await (await fromInside(url)).json()).toEqual({ secret: 1 });
  expect(lookUp.names).toEqual(['rebinding.test']);
});

test('a name is checked with each connection, so that one which changes leads nowhere', async () => {
  const inner = await innerServer();
  const lookUp = answering(['127.0.0.1'], ['169.254.169.254']);
  const fromInside = guardedFetch('http://10.0.0.7/mcp', lookUp);
  const url = `http://rebinding.test:${inner.port}/`;
  // The connection is closed, so the next request needs another one.
  await (await fromInside(url, { headers: { connection: 'close' } })).text();
  await expect(fromInside(url)).rejects.toMatchObject({ code: 'mcp/not-allowed' });
  expect(inner.seen).toHaveLength(1);
});

test.each([[['192.0.2.1', '127.0.0.1']], [['169.254.169.254']], [['::ffff:10.0.0.1']]])(
  'a name with the addresses %s leads nowhere',
  async (addresses) => {
    const inner = await innerServer();
    const fromOutside = guardedFetch('https://203.0.113.9/mcp', answering(addresses));
    await expect(fromOutside(`http://inner.test:${inner.port}/`)).rejects.toThrow(
      'The MCP server leads to "inner.test"',
    );
    expect(inner.seen).toEqual([]);
  },
);

test('a request to an address that is allowed arrives as it is, and so does its answer', async () => {
  const got: unknown[] = [];
  const inside = createServer((request, response) => {
    void text(request).then((body) => {
      const { 'content-type': type, 'x-of': of } = request.headers;
      got.push([request.method, type, of, body]);
      if (request.url === '/empty') response.writeHead(204).end();
      else response.writeHead(201, { 'x-answer': 'yes' }).end('{"ok":true}');
    });
  });
  await new Promise<void>((resolve) => void inside.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void inside.close());
  const { port } = inside.address() as AddressInfo;
  const fromInside = guardedFetch('http://10.0.0.7/mcp', answering(['127.0.0.1']));
  const url = `http://inside.test:${port}/`;
  const body = new URLSearchParams({ grant: 'a b' });
  const headers = new Headers({ 'x-of': 'me' });
  const answer = await fromInside(url, { method: 'POST', body, headers });
  expect(answer).toBeInstanceOf(Response);
  expect([answer.status, answer.headers.get('x-answer'), answer.url]).toEqual([201, 'yes', url]);
  expect(await answer.json()).toEqual({ ok: true });
  const asked = new Request(`${url}empty`, { method: 'PUT', body: 'data', headers });
  expect((await fromInside(asked)).status).toBe(204);
  expect(got).toEqual([
    ['POST', 'application/x-www-form-urlencoded;charset=UTF-8', 'me', 'grant=a+b'],
    ['PUT', 'text/plain;charset=UTF-8', 'me', 'data'],
  ]);
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
