import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createInspector } from '@dramaturg/inspector';
import { liveExhibit, type RunMessage, serveInspector } from '@dramaturg/inspector/server';
import { expect, onTestFinished, test } from 'vitest';
import { createActor } from 'xstate';
import { order } from './machines.ts';

async function serving({ allowsSending = false } = {}) {
  const inspector = createInspector();
  const actor = createActor(order, { inspect: inspector.inspect }).start();
  const server = await serveInspector(liveExhibit(inspector, { title: 'Orders', allowsSending }));
  onTestFinished(server.close);
  const { port, searchParams } = new URL(server.url);
  return { actor, url: server.url, port: Number(port), token: searchParams.get('token')! };
}

interface Asked {
  readonly port: number;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** As no browser would ask: with any headers. */
function asking({ port, path = '/', method = 'GET', headers = {}, body }: Asked) {
  return new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>(
    (resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () =>
          resolve({ status: response.statusCode!, text, headers: response.headers }),
        );
      });
      asked.on('error', reject);
      asked.end(body);
    },
  );
}

test('a request without the right token gets nothing', async () => {
  const { port, token } = await serving();
  for (const path of ['/', '/index.html', '/api/runs', '/api/exhibit', '/api/runs/live/recording'])
    expect(await asking({ port, path })).toMatchObject({ status: 403 });
  for (const wrong of ['x', token.slice(1), `${token}x`, token.toUpperCase()])
    expect(await asking({ port, path: `/?token=${wrong}` })).toMatchObject({ status: 403 });
  expect(await asking({ port, path: `/?token=${token}` })).toMatchObject({ status: 200 });
});

test('the token goes into a cookie that scripts cannot read and other sites cannot send', async () => {
  const { port, token } = await serving();
  const { headers } = await asking({ port, path: `/?token=${token}` });
  const [cookie = ''] = headers['set-cookie'] as string[];
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/);
  const [pair = ''] = cookie.split(';');
  expect(await asking({ port, path: '/api/runs', headers: { cookie: pair } })).toMatchObject({
    status: 200,
  });
  expect(
    await asking({ port, path: '/api/runs', headers: { authorization: `Bearer ${token}` } }),
  ).toMatchObject({ status: 200 });
});

test('a rebound host name and a page of another origin get nothing', async () => {
  const { port, token } = await serving();
  const path = `/api/runs?token=${token}`;
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`])
    expect(await asking({ port, path, headers: { host } })).toMatchObject({ status: 403 });
  for (const origin of [
    'http://evil.example',
    `http://127.0.0.1:${port + 1}`,
    'null',
    `https://127.0.0.1:${port}`,
  ])
    expect(await asking({ port, path, headers: { origin } })).toMatchObject({ status: 403 });
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
    expect(await asking({ port, path, headers: { host, origin: `http://${host}` } })).toMatchObject(
      { status: 200 },
    );
});

test('it listens on the loopback interface only', async () => {
  const { port } = await serving();
  const others = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
  // Where there is no other interface, another address of the loopback network will do.
  for (const host of others.length > 0 ? others : ['127.0.0.2']) {
    const code = await new Promise<string>((resolve) => {
      const socket = connect({ host, port }, () => resolve('connected'));
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
      onTestFinished(() => void socket.destroy());
    });
    expect(code).toBe('ECONNREFUSED');
  }
});

test('a read-only page sends nothing', async () => {
  const { port, token, actor } = await serving();
  const body = JSON.stringify({ event: { type: 'add' } });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = await asking({ port, path: '/api/runs/live/send', method: 'POST', headers, body });
  expect(sent).toMatchObject({ status: 403 });
  expect(sent.text).toContain('--allow-send');
  expect(actor.getSnapshot().context.items).toBe(0);
});

test('a request to send must be a small JSON event with its content type', async () => {
  const { port, token, actor } = await serving({ allowsSending: true });
  const send = (body: string, type = 'application/json') =>
    asking({
      port,
      path: '/api/runs/live/send',
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body,
    });
  const event = JSON.stringify({ event: { type: 'add' } });
  expect(await send(event, 'text/plain')).toMatchObject({ status: 415 });
  expect(await send('{')).toMatchObject({ status: 400 });
  expect(await send('{"event":{}}')).toMatchObject({ status: 400 });
  expect(
    await send(JSON.stringify({ event: { type: 'add', text: 'x'.repeat(2_000_000) } })),
  ).toMatchObject({ status: 400 });
  expect(actor.getSnapshot().context.items).toBe(0);
  expect(await send(event)).toMatchObject({ status: 200 });
  expect(actor.getSnapshot().context.items).toBe(1);
  for (const type of ['nothing like it', 'xstate.stop'])
    expect(await send(JSON.stringify({ event: { type } }))).toMatchObject({ status: 409 });
  expect(actor.getSnapshot().status).toBe('active');
  actor.stop();
  expect(await send(event)).toMatchObject({ status: 409 });
});

test('an event without an actor goes to the last started running actor', async () => {
  const inspector = createInspector();
  const actors = ['one', 'two', 'three'].map((id) =>
    createActor(order, { id, inspect: inspector.inspect }).start(),
  );
  actors[2]!.stop();
  const exhibit = liveExhibit(inspector, { title: 'Orders', allowsSending: true });
  expect(await exhibit.send('live', { event: { type: 'add' } })).toBeUndefined();
  expect(actors.map((actor) => actor.getSnapshot().context.items)).toEqual([0, 1, 0]);
});

test('only files of the page are served', async () => {
  const { port, token } = await serving();
  const headers = { authorization: `Bearer ${token}` };
  for (const path of [
    '/../index.js',
    '/%2e%2e/index.js',
    '/..%2findex.js',
    '/package.json',
    '/assets/',
  ])
    expect(await asking({ port, path, headers })).toMatchObject({ status: 404 });
  const page = await asking({ port, headers });
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const [script = ''] = /\/assets\/[\w.-]+\.js/.exec(page.text) ?? [];
  expect(await asking({ port, path: script, headers })).toMatchObject({ status: 200 });
});

/** The messages of a run, until they are enough or the response ends. */
async function messagesOf(
  url: string,
  isEnough: (messages: readonly RunMessage[]) => boolean = () => false,
): Promise<readonly RunMessage[]> {
  const { origin, search } = new URL(url);
  const response = await fetch(`${origin}/api/runs/live/recording${search}`);
  let text = '';
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const messages: RunMessage[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return messages;
    const lines = (text + value).split('\n');
    text = lines.pop()!;
    messages.push(...lines.map((line) => JSON.parse(line) as RunMessage));
    if (!isEnough(messages)) continue;
    await reader.cancel();
    return messages;
  }
}

test('a large recording is sent in parts, without gaps', async () => {
  const inspector = createInspector();
  const actor = createActor(order, { inspect: inspector.inspect }).start();
  const texts = Array.from({ length: 5 }, () => 'x'.repeat(20_000));
  for (let count = 0; count < 20; count += 1) actor.send({ type: 'add', texts } as never);
  const server = await serveInspector(liveExhibit(inspector, { title: 'Orders' }));
  onTestFinished(server.close);
  const messages = await messagesOf(server.url, (all) => all.some(({ kind }) => kind === 'status'));
  const portions = messages.flatMap((message) => ('events' in message ? [message.events] : []));
  expect(portions.length).toBeGreaterThan(3);
  for (const portion of portions) expect(JSON.stringify(portion).length).toBeLessThan(1_200_000);
  expect(portions.flat()).toEqual(JSON.parse(JSON.stringify(inspector.recording().events)));
  expect(messages).toContainEqual({ kind: 'status', live: true });
});

test('a write error ends the response with a reason, and the process continues', async () => {
  const exhibit = liveExhibit(createInspector(), { title: 'Orders' });
  const follow: typeof exhibit.follow = async (_, tell) => {
    tell({ kind: 'events', events: [{ size: 10n }] as never });
    return new Promise(() => {});
  };
  const server = await serveInspector({ ...exhibit, follow });
  onTestFinished(server.close);
  expect(await messagesOf(server.url)).toMatchObject([
    { kind: 'status', live: false, because: expect.stringContaining('BigInt') as string },
  ]);
});
