import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hostClient } from '@dramaturg/react';
import { expect, onTestFinished, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { HostWatch } from '../src/host/host-watch.ts';
import { greeting } from './greeting.ts';
import { until } from './until.ts';

const dramaturg = fileURLToPath(import.meta.resolve('dramaturg/package.json')).replace(
  /package\.json$/,
  'bin/dramaturg.js',
);

test('useHost shows instances and events, and sends requests', async () => {
  const store = await newStore();
  await serve(store);
  const client = hostClient(await pageServer(store));
  const watch = follow(client);
  await until(() => watch.state.connection === 'open');
  expect(watch.state.instances).toEqual([]);

  const { id } = await client.start({ definition: 'greeting', contact: 'ada' });
  await until(() => watch.state.instances[0]?.state === 'WAITING_FOR_REPLY');
  expect(watch.state.events.map(({ event }) => event.type)).toContain('message.sent');
  expect(watch.state.events[0]!.source).toBe(`${id} lifecycle`);

  const routed = await client.receive({ contact: 'ada', text: 'Ada' });
  expect(routed).toMatchObject({ instance: id, accepted: true });
  await until(() => watch.state.instances[0]?.ended === true);
  const said = (await client.transcript(id)).filter(({ role }) => role !== 'system');
  expect(said.map(({ role }) => role)).toEqual(['agent', 'contact', 'agent']);
  expect((await client.journal(id, { from: 1, limit: 2 })).length).toBe(2);
});

test('a refusal of the host is an error with its code and the accepted events', async () => {
  const store = await newStore();
  await serve(store);
  const client = hostClient(`${await pageServer(store)}/`);
  const { id } = await client.start({ definition: 'greeting', contact: 'ada' });
  await client.cancel(id, 'enough');
  await expect(client.pause(id)).rejects.toMatchObject({
    name: 'HostRequestError',
    code: 'instance/ended',
    status: 409,
    problem: { refused: { accepts: [] } },
  });
  await expect(client.get('nobody')).rejects.toMatchObject({ status: 404 });
});

test('the client reconnects to a killed and restarted host', async ({ skip }) => {
  skip(!runsAll);
  const store = await newStore();
  const first = await serve(store);
  const client = hostClient(await pageServer(store));
  const watch = follow(client);
  await until(() => watch.state.connection === 'open');
  await client.start({ definition: 'greeting', contact: 'ada', id: 'stays' });
  await until(() => watch.state.instances[0]?.state === 'WAITING_FOR_REPLY');

  first.kill('SIGKILL');
  await until(() => watch.state.connection === 'lost');
  await serve(store);
  await until(() => watch.state.connection === 'open');
  expect(watch.state.error).toBeUndefined();
  expect(watch.state.instances.map(({ id, state }) => `${id} ${state}`)).toEqual([
    'stays WAITING_FOR_REPLY',
  ]);
});

test('a failed attempt leaves no connection open', async () => {
  const open = new Set<unknown>();
  let tries = 0;
  const url = await served((incoming, outgoing) => {
    if (!incoming.url!.startsWith('/events')) return outgoing.writeHead(503).end();
    tries += 1;
    open.add(outgoing);
    outgoing.on('close', () => open.delete(outgoing));
    return outgoing.writeHead(200).flushHeaders();
  });
  const watch = follow(hostClient(url));
  await until(() => tries >= 2 && open.size === 0);
  expect(watch.state.error).toMatchObject({ status: 503 });
});

test('an unreachable host is a clear error', async () => {
  await expect(hostClient('http://127.0.0.1:9').list()).rejects.toMatchObject({
    code: 'connection/lost',
    message: 'Cannot reach the host at http://127.0.0.1:9.',
  });
});

function follow(client: ReturnType<typeof hostClient>): HostWatch {
  const watch = new HostWatch(client);
  void watch.run();
  onTestFinished(() => watch.stop());
  return watch;
}

async function newStore(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-react-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'greeting.plan.json'), greeting);
  return join(folder, 'store');
}

/** A real host in a process of its own. */
async function serve(store: string): Promise<ChildProcess> {
  const args = ['serve', store, '--definition', join(store, '../greeting.plan.json')];
  const child = spawn(process.execPath, [dramaturg, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  await until(() => said.includes('\n') || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(said);
  return child;
}

/** What a server for pages does: it hands requests on to the socket of the host. */
function pageServer(store: string): Promise<string> {
  return served((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const socketPath = join(store, 'host.sock');
    const passed = request({ socketPath, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      outgoing.flushHeaders();
      answer.on('error', () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
}

async function served(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
