import { request as httpRequest } from 'node:http';
import { webChannel } from '@dramaturg/channel-web';
import type { ChannelContext } from '@dramaturg/host';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, expect, test, vi } from 'vitest';
import { identitySecret, secret } from './secrets.ts';
import { clientOf, framesUntil, served } from './stage.ts';

afterEach(() => vi.unstubAllEnvs());

interface Signing {
  readonly key?: string;
  readonly audience?: string;
  readonly issuer?: string;
  readonly expires?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
}

function signed({
  key = secret,
  audience = 'web',
  issuer = 'dramaturg-web-chat',
  expires = '1 hour',
  claims = { definition: 'intake', customer: false },
}: Signing): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject('web:7f3c')
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(key));
}

const identity = (sub: string, { expires = '1 hour', key = identitySecret, name = 'Ada' } = {}) =>
  new SignJWT({ name })
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience('dramaturg-web-chat')
    .setSubject(sub)
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(key));

test('a session that is missing, forged, expired, or of something else is refused everywhere', async () => {
  const { host, ask, begin } = await served({ greet: true });
  const good = await begin();
  const [header, payload, signature] = good.split('.');
  const other = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as { sub: string };
  const changed = Buffer.from(JSON.stringify({ ...other, sub: 'web:somebody' })).toString(
    'base64url',
  );
  const tokens = {
    none: undefined,
    empty: '',
    noise: 'x.y.z',
    'another subject': `${header}.${changed}.${signature}`,
    'another key': await signed({ key: 'another key that has 32 characters too' }),
    'another channel': await signed({ audience: 'shop' }),
    'another issuer': await signed({ issuer: 'somebody' }),
    expired: await signed({ expires: '-1 second' }),
    unsigned: new UnsecuredJWT({ definition: 'intake', customer: false })
      .setIssuer('dramaturg-web-chat')
      .setAudience('web')
      .setSubject(other.sub)
      .setExpirationTime('1 hour')
      .encode(),
    'no definition': await signed({ claims: { customer: false } }),
    identity: await identity('ada'),
  };

  const statuses: Record<string, readonly number[]> = {};
  for (const [name, token] of Object.entries(tokens))
    statuses[name] = await Promise.all([
      ask('stream', token).then(({ status }) => status),
      ask('history', token).then(({ status }) => status),
      ask('open', token, {}).then(({ status }) => status),
      ask('messages', token, { id: 'message-1', text: 'Hello' }).then(({ status }) => status),
    ]);

  for (const found of Object.values(statuses)) expect(found).toEqual([401, 401, 401, 401]);
  expect((await host.list()).items).toEqual([]);
  expect((await ask('history', await signed({}))).status).toBe(200);
});

test('visitors see and write only their own conversation', async () => {
  const { host, ask, begin, say } = await served();
  const [ada, bob] = [await begin(), await begin()];
  const streamOfBob = await ask('stream', bob);
  await say(ada, 'message-1', 'I am Ada.');
  await host.settle();

  // Also with the id of a message of somebody else.
  expect(await say(bob, 'message-1', 'I am Bob.')).toBe(200);
  const frames = await framesUntil(
    streamOfBob,
    (frame) => frame.type === 'message' && frame.message.from === 'agent',
  );

  expect(JSON.stringify(frames)).not.toContain('Ada');
  expect(JSON.stringify(frames)).toContain('I am Bob.');
  expect((await host.list()).items).toHaveLength(2);
  const history = await (await ask('history', ada)).text();
  expect(history).not.toContain('Bob');
});

test('a session is renewed for the same visitor, and an unknown one begins anew', async () => {
  const { ask, begin, say, host } = await served();
  const first = await begin();
  await say(first, 'message-1', 'Hello');
  await host.settle();

  const renewed = await begin({}, first);
  const other = await begin({}, 'not.a.session');

  expect(await (await ask('history', renewed)).text()).toContain('Hello');
  expect(await (await ask('history', other)).json()).toEqual({ messages: [], hasEarlier: false });
});

test('a customer whom the site has signed is that contact', async () => {
  const { host, ask, begin, say } = await served({ identitySecret });
  const token = await begin({ identity: await identity('ada@example.com') });
  expect(await say(token, 'message-1', 'Hello')).toBe(200);

  expect((await host.list()).items).toMatchObject([{ contact: 'ada@example.com' }]);
  const again = await begin({ identity: await identity('ada@example.com') });
  expect(await (await ask('history', again)).text()).toContain('Hello');
  for (const other of ['Ada@Example.com', ' ada@example.com']) {
    const somebody = await begin({ identity: await identity(other) });
    expect(await (await ask('history', somebody)).json()).toMatchObject({ messages: [] });
  }
  // Who is logged out is not the customer any more.
  const after = await begin({}, token);
  expect(await (await ask('history', after)).json()).toMatchObject({ messages: [] });
});

test('an identity that is forged, expired, or valid for too long is refused', async () => {
  const { ask } = await served({ identitySecret });
  const statusOf = async (token: string) =>
    (await ask('session', undefined, { identity: token })).status;

  expect(await statusOf(await identity('ada'))).toBe(200);
  expect(await statusOf(await identity('ada', { key: secret }))).toBe(401);
  expect(await statusOf(await identity('ada', { expires: '-1 second' }))).toBe(401);
  expect(await statusOf(await identity('ada', { expires: '25 hours' }))).toBe(401);
  expect(await statusOf(await identity(' '))).toBe(401);
  expect(await statusOf('x')).toBe(401);
  const withoutSecret = await served();
  const given = { identity: await identity('ada') };
  expect((await withoutSecret.ask('session', undefined, given)).status).toBe(401);
});

test('pages of other origins, and forms, cannot send requests', async () => {
  const { ask, begin, url } = await served({ origins: ['https://www.example.com'] });
  const token = await begin();
  const message = { id: 'message-1', text: 'Hello' };
  const statusOf = async (headers: Record<string, string>) =>
    (await ask('messages', token, message, headers)).status;

  // The site may show the chat, and does not send its requests.
  for (const origin of ['https://evil.example', 'https://www.example.com', 'null'])
    expect(await statusOf({ origin })).toBe(403);
  expect(await statusOf({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await statusOf({ 'sec-fetch-site': 'same-site' })).toBe(403);
  expect(await statusOf({ 'content-type': 'text/plain' })).toBe(415);
  expect(await statusOf({ origin: new URL(url).origin })).toBe(200);
  // No cookie exists that a browser could send by itself.
  expect((await ask('')).headers.get('set-cookie')).toBeNull();
});

test('pages that may use the service cannot send requests to the chat', async () => {
  const { handle } = webChannel({ secret });
  const headers = { host: 'chat.example.com', origin: 'https://desk.example.com' };
  for (const path of ['session', 'open', 'messages', 'read', 'stream', 'history']) {
    const method = ['stream', 'history'].includes(path) ? 'GET' : 'POST';
    const request = new Request(`https://chat.example.com/channels/web/${path}`, {
      method,
      headers,
    });
    const answer = await handle(request, { name: 'web' } as ChannelContext);
    expect([path, answer.status, await answer.json()]).toMatchObject([
      path,
      403,
      { code: 'chat/origin' },
    ]);
  }
});

test('only allowed sites may show the page, and it loads nothing from elsewhere', async () => {
  const { ask } = await served({ origins: ['https://www.example.com'], language: 'de' });
  const page = await ask('');
  const policy = page.headers.get('content-security-policy')!;

  expect(policy).toContain("frame-ancestors 'self' https://www.example.com");
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  const html = await page.text();
  expect(html).toContain('<html lang="de" dir="ltr">');
  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
  const wording = await served({ wording: { title: '</script><script>alert(1)</script>' } });
  expect(await (await wording.ask('')).text()).not.toContain('<script>alert');
});

test('requests that are too many, too long, or of an unknown kind are refused', async () => {
  const { ask, begin, say, host } = await served({ messagesPerMinute: 6 });
  const token = await begin();
  const statusOf = async (body: unknown) => (await ask('messages', token, body)).status;

  expect(await statusOf({ id: 'short', text: 'Hello' })).toBe(400);
  expect(await statusOf({ id: 'message-1', text: ' ' })).toBe(400);
  const [other, third] = [await begin(), await begin()];
  expect(await say(other, 'message-1', 'x'.repeat(10_000))).toBe(200);
  expect(await say(other, 'message-2', 'x'.repeat(10_001))).toBe(400);
  expect(
    (await ask('messages', third, { id: 'message-1', text: 'x'.repeat(200_000) })).status,
  ).toBe(413);
  expect((await ask('session', undefined, { definition: 'order' })).status).toBe(404);
  expect((await ask('../web/data.db', token)).status).toBe(404);
  expect((await ask('open', token, {})).status).toBe(403);

  const spammer = await begin();
  expect(await say(spammer, 'message-1', '1')).toBe(200);
  expect(await say(spammer, 'message-2', '2')).toBe(200);
  const refused = await ask('messages', spammer, { id: 'message-3', text: '3' });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(5);
  expect(await refused.json()).toMatchObject({ code: 'chat/too-many-requests' });
  await host.settle();
});

test('a visitor has a limited number of streams', async () => {
  const { ask, begin } = await served();
  const token = await begin();
  const streams = await Promise.all(Array.from({ length: 10 }, () => ask('stream', token)));

  expect((await ask('stream', token)).status).toBe(429);
  expect((await ask('stream', await begin())).status).toBe(200);
  await streams[0]!.body!.cancel();
  await expect.poll(async () => (await ask('stream', token)).status).toBe(200);
});

test('secrets come from the environment, and a weak or missing one is refused', () => {
  vi.stubEnv('DRAMATURG_WEB_CHAT_SECRET', undefined);
  expect(() => webChannel()).toThrow(
    'The options of the web chat are not valid: "secret" is missing: set the variable DRAMATURG_WEB_CHAT_SECRET.',
  );
  expect(() => webChannel({ secret: 'short' })).toThrow('has fewer than 32 characters');
  expect(() => webChannel({ secret, origins: ['https://www.example.com/'] })).toThrow(
    'is not an origin',
  );
  vi.stubEnv('DRAMATURG_WEB_CHAT_SECRET', secret);
  expect(() => webChannel()).not.toThrow();
});

test('the address without its last slash leads to the page', async () => {
  const { url } = await served();
  const status = await new Promise((resolve) => {
    httpRequest(url.slice(0, -1), (response) => {
      response.resume();
      resolve([response.statusCode, response.headers.location]);
    }).end();
  });
  expect(status).toEqual([308, 'web/']);
  expect((await clientOf(url.slice(0, -1)).ask('')).status).toBe(200);
});
