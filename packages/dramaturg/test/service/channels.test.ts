import type { ChannelContext, HttpChannel } from '@dramaturg/host';
import { createHost, memoryStore } from 'dramaturg';
import { serveHost } from 'dramaturg/service';
import { expect, onTestFinished, test } from 'vitest';
import { served } from './stage.ts';

/** A channel that answers with what it has received. */
function echoChannel(answer?: HttpChannel['handle']): HttpChannel {
  const handle = async (request: Request, { name, orStart, address }: ChannelContext) =>
    Response.json({
      name,
      path: new URL(request.url).pathname,
      method: request.method,
      type: request.headers.get('content-type'),
      body: Buffer.from(await request.arrayBuffer()).toString('hex'),
      definition: orStart?.definition ?? null,
      address: address ?? null,
    });
  return { deliver: () => {}, handle: answer ?? handle };
}

const tokens = () => undefined;

test('a channel gets requests below its name as they are, without a token', async () => {
  const channels = { echo: echoChannel() };
  const { url } = await served(
    { channels, tokens, orStart: { definition: 'intake' } },
    { channels },
  );

  const answer = await fetch(`${url}/channels/echo/hook?x=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from([0xff, 0x00, 0x41]),
  });

  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    name: 'echo',
    path: '/channels/echo/hook',
    method: 'POST',
    type: 'application/x-www-form-urlencoded',
    body: 'ff0041',
    definition: 'intake',
    address: '127.0.0.1',
  });
  expect((await fetch(`${url}/instances`)).status).toBe(401);
});

test('a channel without a handler, and one that does not exist, are unknown routes', async () => {
  const channels = { quiet: { deliver: () => {} } };
  const { url } = await served({ channels, tokens }, { channels });

  for (const name of ['quiet', 'other', 'constructor']) {
    const answer = await fetch(`${url}/channels/${name}/hook`, { method: 'POST' });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'request/unknown' });
  }
});

test('requests for channels are refused from foreign pages, under foreign names, and when they are too large', async () => {
  const channels = { echo: echoChannel() };
  const limits = { bodyBytes: 1_000 };
  const { url } = await served({ channels, tokens, limits }, { channels });
  const statusOf = async (init: RequestInit) =>
    (await fetch(`${url}/channels/echo/hook`, { method: 'POST', ...init })).status;

  expect(await statusOf({ headers: { origin: 'https://evil.example' } })).toBe(403);
  expect(await statusOf({ body: 'x'.repeat(1_001) })).toBe(413);
  expect(await statusOf({ body: 'x'.repeat(1_000) })).toBe(200);
});

test('foreign pages may show what a channel serves, and may not read it or send to it', async () => {
  const channels = { echo: echoChannel() };
  const { url } = await served({ channels, tokens }, { channels });
  const statusOf = async (path: string, headers: Record<string, string>, method = 'GET') =>
    (await fetch(url + path, { method, headers: { 'sec-fetch-site': 'cross-site', ...headers } }))
      .status;
  const script = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' };
  const frame = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };

  expect(await statusOf('/channels/echo/embed.js', script)).toBe(200);
  expect(await statusOf('/channels/echo/', frame)).toBe(200);
  expect(await statusOf('/channels/echo/', { origin: 'https://evil.example' })).toBe(403);
  expect(await statusOf('/channels/echo/', frame, 'POST')).toBe(403);
  expect(await statusOf('/instances', script)).toBe(403);
});

test('an error of a channel is answered as a failure, without its secrets', async () => {
  const channels = {
    broken: echoChannel(() => {
      throw new Error('No luck with Bearer abcdefghijklmnop1234567890.');
    }),
  };
  const { url } = await served({ channels, tokens }, { channels });

  const answer = await fetch(`${url}/channels/broken/hook`, { method: 'POST' });

  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain('abcdefghijklmnop1234567890');
});

test('each tenant has channels of its own', async () => {
  const channels = { echo: echoChannel() };
  const hostOf = async () => {
    const host = await createHost({ store: memoryStore(), channels });
    onTestFinished(() => host.stop({ within: 0 }));
    return host;
  };
  const orStart = { definition: 'intake' };
  const tenants = new Map([
    ['acme & sons', { host: await hostOf(), channels, orStart }],
    ['bolt', { host: await hostOf(), channels: ['echo'] }],
  ]);
  const service = await serveHost(tenants, { http: '127.0.0.1:0', tokens });
  onTestFinished(service.end);

  const path = '/tenants/acme%20%26%20sons/channels/echo/hook';
  const answer = await fetch(service.url + path, { method: 'POST' });
  expect(await answer.json()).toMatchObject({ name: 'echo', path, definition: 'intake' });
  for (const unknown of ['/tenants/bolt', '/tenants/__proto__', '/tenants/other', '/tenants/', ''])
    expect((await fetch(`${service.url}${unknown}/channels/echo/hook`)).status).toBe(
      unknown === '/tenants/' ? 401 : 404,
    );
  await expect(
    serveHost(new Map([['acme', await hostOf()]]), { http: '127.0.0.1:0', channels }),
  ).rejects.toMatchObject({ code: 'service/tenants' });
});
