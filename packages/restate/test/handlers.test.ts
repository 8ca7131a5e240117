import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rehearsalBehaviour, rehearsalCharts, until } from '@dramaturg/testing';
import { freePort, RestateServer, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { restateHost, type RestateHostOptions } from '../src/index.ts';
import { lifecycles } from './lifecycles.ts';

const missing = whyNoRestate();

describe.skipIf(missing !== undefined)(`handlers${missing ? ` (${missing})` : ''}`, () => {
  test('refuse requests that Restate has not signed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'signed-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'key.pem');
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const server = await RestateServer.start({
      env: { RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: file },
    });
    onTestFinished(() => server.stop());
    const publicKey = /publickeyv1_\w+/.exec(server.process.output)?.[0];
    const port = await freePort();
    const [delivered, host] = await hostOf(server, {
      handlers: { port, identityKeys: [publicKey!] },
    });
    await host.start('chat', { id: 'signed' });
    await until(() => delivered.length === 1, 'the greeting of a signed request');

    expect(await statusOf(port, '/discover')).toBe(401);
    expect(await statusOf(port, '/invoke/dramaturg.instance/take')).toBe(401);
    // Only the server that has the private key may call.
    const { ingress, admin } = await sharedRestate();
    await expect(
      restateHost({
        ...settings,
        ingress,
        admin,
        handlers: { identityKeys: [publicKey!] },
      }),
    ).rejects.toThrow('Restate refused registering the handlers');
  });

  test('are served by several processes that share a port', async () => {
    const server = await sharedRestate();
    const handlers = { port: await freePort(), reusePort: true };
    const namespace = `shared-${Date.now()}`;
    const [, first] = await hostOf(server, { namespace, handlers });
    const [, second] = await hostOf(server, { namespace, handlers });
    await first.stop({ within: 0 });
    await expect(second.start('chat', { id: 'goes on' })).resolves.toMatchObject({ id: 'goes on' });
  });

  test('may be in other processes than those that send commands', async () => {
    const server = await sharedRestate();
    const namespace = `elsewhere-${Date.now()}`;
    const [delivered] = await hostOf(server, { namespace });
    const [, caller] = await hostOf(server, { namespace, handlers: false });
    await caller.start('chat', { id: 'remote' });
    await until(() => delivered.length === 1, 'the greeting');
    const answer = await caller.send('remote', { type: 'message.received', text: 'Hi.', id: 'm' });
    expect(answer).toMatchObject({ accepted: true });
  });

  test('know the channels that a process without handlers names', async () => {
    const server = await sharedRestate();
    const namespace = `channels-${Date.now()}`;
    const [delivered] = await hostOf(server, { namespace });
    const [, caller] = await hostOf(server, { namespace, handlers: false, channels: {} });
    await caller.start('chat', { id: 'alone', channel: 'main' });
    await caller.start('chat', { id: 'in line', channel: 'main', contact: 'ada' });
    await until(() => delivered.length === 2, 'both greetings');

    const message = 'There is no channel "pigeon". The host has these: main.';
    const refused = { code: 'host/bad-request', message };
    const start = (contact?: string) =>
      caller.start('chat', { id: 'refused', channel: 'pigeon', ...(contact && { contact }) });
    await expect(start()).rejects.toMatchObject(refused);
    await expect(start('bob')).rejects.toMatchObject(refused);
    const orStart = { definition: 'chat', channel: 'pigeon' };
    await expect(caller.receive({ contact: 'bob', text: 'Hello.', orStart })).rejects.toMatchObject(
      refused,
    );
    expect((await caller.list({ contact: 'bob' })).items).toEqual([]);
    const written = { id: 'refused', channel: 'main', contact: ' Ada ' };
    await expect(caller.start('chat', written)).rejects.toMatchObject({
      code: 'host/bad-request',
      message: 'The channel "main" writes this contact "ada". Write it so.',
    });
    // A start that was refused takes nobody's id.
    await expect(caller.start('chat', { id: 'refused' })).resolves.toMatchObject({ id: 'refused' });
  });

  test('in two processes give two first messages at once to one conversation', async () => {
    const server = await sharedRestate();
    const namespace = `first-messages-${Date.now()}`;
    const [, first] = await hostOf(server, { namespace });
    const [, second] = await hostOf(server, { namespace });
    const orStart = { definition: 'chat' };
    for (let round = 0; round < 5; round += 1) {
      const contact = `contact ${round}`;
      const message = (from: number) => ({
        contact,
        text: `From ${from}.`,
        id: `${from}`,
        orStart,
      });
      const routed = await Promise.all([first.receive(message(1)), second.receive(message(2))]);
      const { items } = await first.list({ contact });
      expect(items).toHaveLength(1);
      const { id } = items[0]!;
      for (const answer of routed) expect(answer).toMatchObject({ instance: id, accepted: true });
      const lines = await second.transcript(id, { from: 0, limit: 100 });
      const heard = lines.filter(({ role }) => role === 'contact').map(({ text }) => text);
      expect(heard.toSorted()).toEqual(['From 1.', 'From 2.']);
    }
  });

  test('in two processes start an instance once', async () => {
    const server = await sharedRestate();
    const namespace = `once-${Date.now()}`;
    const [delivered, first] = await hostOf(server, { namespace });
    const [deliveredBySecond, second] = await hostOf(server, { namespace });
    const order = { id: 'a', once: true, contact: 'ada' };
    const started = await Promise.all([
      first.start('chat', order),
      second.start('chat', order),
      first.start('chat', order),
    ]);
    expect(started.map(({ id }) => id)).toEqual(['a', 'a', 'a']);
    await until(() => delivered.length + deliveredBySecond.length > 0, 'the greeting');
    expect((await first.list({ contact: 'ada' })).items).toHaveLength(1);
  });
});

const settings = {
  definitions: [{ name: 'chat', chart: rehearsalCharts.chat, lifecycle: lifecycles.conversation }],
  behaviours: new Map([
    ['rehearsal', rehearsalBehaviour],
    [lifecycles.conversation.format, lifecycles.behaviour],
  ]),
} satisfies Partial<RestateHostOptions>;

/** A host, and what it has delivered. */
async function hostOf(
  { ingress, admin }: Pick<RestateServer, 'ingress' | 'admin'>,
  options: Partial<RestateHostOptions>,
): Promise<readonly [readonly string[], Awaited<ReturnType<typeof restateHost>>]> {
  const delivered: string[] = [];
  const host = await restateHost({
    ...settings,
    ports: { reply: async () => ({ text: 'Hello.' }) },
    channels: {
      main: {
        contactKey: (contact) => contact.trim().toLowerCase(),
        deliver: async ({ text }) => void delivered.push(text),
      },
    },
    ingress,
    admin,
    ...options,
  });
  onTestFinished(() => host.stop({ within: 0 }));
  return [delivered, host];
}

/** The status that a stranger gets, who reaches the address of the handlers. */
function statusOf(port: number, path: string): Promise<number> {
  const session = connect(`http://127.0.0.1:${port}`);
  return new Promise<number>((resolve, reject) => {
    session.once('error', reject);
    const request = session.request({
      ':method': path === '/discover' ? 'GET' : 'POST',
      ':path': path,
    });
    request.once('error', reject);
    request.once('response', (headers) => resolve(Number(headers[':status'])));
    request.end();
  }).finally(() => session.destroy());
}
