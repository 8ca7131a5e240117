import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { TcpProxy } from '../src/index.ts';

/** Enough for a busy machine, in milliseconds. */

test('passes bytes in both directions, and the end of a connection', async () => {
  const { proxy, dial } = await echo();
  const client = await dial();
  expect(await client.ask('hello')).toBe('hello');
  expect(proxy.connections).toBe(1);
  client.socket.end();
  await client.closed;
  await expect.poll(() => proxy.connections).toBe(0);
});

test('cuts open connections and accepts new ones', async () => {
  const { proxy, dial } = await echo();
  const client = await dial();
  await client.ask('hello');
  proxy.cut();
  await client.closed;
  expect(await (await dial()).ask('again')).toBe('again');
});

test('cuts a connection that is just ending, and leaves no open socket behind', async () => {
  const { proxy, dial } = await echo();
  const client = await dial();
  proxy.hold();
  client.socket.end();
  await once(client.socket, 'finish');
  await pause(20);
  // The end is passed on and the connection is cut in the same moment.
  proxy.pass();
  proxy.cut();
  await client.closed;
  await expect.poll(() => proxy.connections).toBe(0);
});

test('delays bytes', async () => {
  const { proxy, dial } = await echo();
  const client = await dial();
  proxy.delay(60);
  const before = performance.now();
  expect(await client.ask('slow')).toBe('slow');
  expect(performance.now() - before).toBeGreaterThan(110);
});

test('holds bytes until they pass', async () => {
  const { proxy, dial } = await echo();
  const client = await dial();
  proxy.hold();
  const answer = client.ask('held');
  await pause(50);
  expect(client.received).toBe('!');
  proxy.pass();
  expect(await answer).toBe('held');
});

test('passes half of the bytes and cuts the connection', async () => {
  const { proxy, dial, received } = await echo();
  const client = await dial();
  proxy.halve();
  client.socket.write('12345678');
  await client.closed;
  expect(received.join('')).toBe('!1234');
});

test('swallows bytes and keeps the connection open, also after the trouble', async () => {
  const { proxy, dial, received } = await echo();
  const client = await dial();
  proxy.blackhole({ newConnectionsPass: true });
  client.socket.write('lost');
  await pause(50);
  proxy.pass();
  client.socket.write('later');
  await pause(50);
  expect([received.join(''), client.received, client.socket.destroyed]).toEqual(['!', '!', false]);
  expect(await (await dial()).ask('new')).toBe('new');
});

test('swallows answers only', async () => {
  const { proxy, dial, received } = await echo();
  const client = await dial();
  proxy.blackhole({ towards: ['client'] });
  client.socket.write('done');
  await expect.poll(() => received.join('')).toBe('!done');
  expect(client.received).toBe('!');
});

test('refuses connections until bytes pass again', async () => {
  const { proxy, dial } = await echo();
  const client = await dial();
  proxy.refuse();
  await client.closed;
  await expect(dial()).rejects.toThrow('ECONNRESET');
  proxy.pass();
  expect(await (await dial()).ask('back')).toBe('back');
});

async function echo() {
  const received: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      received.push(bytes.toString());
      socket.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await TcpProxy.start({ port: (server.address() as AddressInfo).port });
  onTestFinished(async () => {
    await proxy.stop();
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { proxy, received, dial: () => dialTo(proxy.port) };
}

async function dialTo(port: number) {
  const socket = connect(port, '127.0.0.1');
  const client = {
    socket,
    received: '',
    closed: new Promise((resolve) => socket.once('close', resolve)),
    ask: async (text: string) => {
      const before = client.received.length;
      socket.write(text);
      while (client.received.length < before + text.length) await once(socket, 'data');
      return client.received.slice(before);
    },
  };
  socket.on('data', (bytes) => (client.received += bytes.toString()));
  await once(socket, 'connect');
  socket.on('error', () => {});
  await client.ask('!');
  return client;
}
