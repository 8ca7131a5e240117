import { once } from 'node:events';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { createInspector } from '@dramaturg/inspector';
import { inspectLegacy } from '@dramaturg/inspector-legacy';
import { createWebSocketReceiver } from '@xstate/inspect';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { AnyState, AnyStateMachine } from 'xstate';
import { type AnyActor, createActor, waitFor } from 'xstate-5';
import { order } from './order.ts';

type Heard =
  | {
      readonly type: 'service.register';
      readonly sessionId: string;
      readonly id?: string;
      readonly machine: AnyStateMachine;
      readonly state: AnyState;
    }
  | { readonly type: 'service.state'; readonly sessionId: string; readonly state: AnyState }
  | {
      readonly type: 'service.event';
      readonly sessionId: string;
      readonly event: { readonly name: string };
    }
  | { readonly type: 'service.stop'; readonly sessionId: string };

// The package keeps one list of services for the life of a process, so that there is one bridge.
const inspector = createInspector();
const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
await once(server, 'listening');
globalThis.WebSocket = WebSocket as never;

beforeAll(() => {
  const legacy = inspectLegacy(inspector, { server, origins: ['https://tools.example'] });
  return () => legacy.disconnect();
});

/** The package's own receiver, connected to the bridge through a real WebSocket. */
async function connect() {
  const heard: Heard[] = [];
  const { port } = server.address() as AddressInfo;
  const receiver = createWebSocketReceiver({ server: `127.0.0.1:${port}`, serialize: undefined });
  receiver.subscribe((event) => void heard.push(event));
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  await once(socket, 'message');
  return { heard, receiver };
}

function started(): AnyActor {
  const actor = createActor(order, { id: 'order', inspect: inspector.inspect }).start();
  onTestFinished(() => void actor.stop());
  return actor;
}

const until = async (condition: () => boolean) => {
  const deadline = Date.now() + 300_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('It did not come.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

test("the package's own receiver takes every machine and every state, and resolves them as XState 4 would", async () => {
  const { heard } = await connect();
  const actor = started();
  actor.send({ type: 'add' });
  actor.send({ type: 'hold' });
  actor.send({ type: 'go on' });
  actor.send({ type: 'pay' });
  // An actor that a state starts arrives before the state.
  await until(() => heard.some((each) => 'state' in each && each.state.value === 'sending'));
  const registered = heard.filter((each) => each.type === 'service.register');
  expect(registered.map(({ id }) => id)).toEqual(['bell', 'order', 'bell', 'charge', 'parcel']);
  const root = registered.find(({ id }) => id === 'order')!;
  const states = heard.filter(
    (each) => each.type === 'service.state' && each.sessionId === root.sessionId,
  ) as Extract<Heard, { type: 'service.state' }>[];
  expect(states.map(({ state }) => state.value)).toEqual([
    { open: { basket: 'empty', till: 'idle' } },
    { open: { basket: 'filled', till: 'idle' } },
    'held',
    { open: { basket: 'filled', till: 'idle' } },
    'paying',
    'sending',
  ]);
  const held = root.machine.resolveState(states[2]!.state);
  expect(held.nextEvents).toEqual(
    expect.arrayContaining(['go on', 'hold', 'xstate.after(60000)#order.held']),
  );
  const open = root.machine.resolveState(states[1]!.state);
  expect(open.configuration.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['order.open.basket.filled', 'order.open.till.idle']),
  );
  const names = heard.flatMap((each) =>
    each.type === 'service.event' && each.sessionId === root.sessionId ? [each.event.name] : [],
  );
  expect(names).toEqual([
    'xstate.init',
    'xstate.init',
    'add',
    'hold',
    'go on',
    'pay',
    'done.invoke.charge',
  ]);
  expect(heard.some(({ type }) => type === 'service.stop')).toBe(true);
});

test('an event from the receiver reaches the actor and is shown once', async () => {
  const { heard, receiver } = await connect();
  const actor = started();
  await until(() => heard.some((each) => each.type === 'service.register' && each.id === 'order'));
  const { sessionId } = heard.find(
    (each) => each.type === 'service.register' && each.id === 'order',
  )!;
  const event = {
    name: 'add',
    data: { type: 'add' },
    $$type: 'scxml',
    type: 'external',
    origin: sessionId,
  };
  receiver.send({ type: 'xstate.event', event: JSON.stringify(event), service: sessionId });
  await waitFor(actor, (snapshot) => snapshot.context.items === 1);
  await until(() =>
    heard.some((each) => each.type === 'service.state' && each.state.context.items === 1),
  );
  const shownEvents = heard.filter(
    (each) => each.type === 'service.event' && each.event.name === 'add',
  );
  expect(shownEvents).toHaveLength(1);
});

test('a late receiver sees the running actors', async () => {
  const actor = started();
  actor.send({ type: 'add' });
  const { heard } = await connect();
  await until(() => heard.filter(({ type }) => type === 'service.register').length === 2);
  expect(heard.map((each) => ('state' in each ? each.state.value : undefined))).toContainEqual({
    open: { basket: 'filled', till: 'idle' },
  });
});

/** An actor, and the id by which receivers know it. */
async function startedAndKnown() {
  const { heard } = await connect();
  const actor = started();
  const isOrder = (each: Heard) => each.type === 'service.register' && each.id === 'order';
  await until(() => heard.some(isOrder));
  return { actor, sessionId: heard.find(isOrder)!.sessionId };
}

function sending(origin: string): string {
  const event = { name: 'add', data: { type: 'add' }, $$type: 'scxml', type: 'external', origin };
  return JSON.stringify({ type: 'xstate.event', event: JSON.stringify(event) });
}

/** What a connection from an origin hears, and how it is closed. */
async function connectFrom(origin: string | undefined) {
  const { port } = server.address() as AddressInfo;
  const socket = new WebSocket(
    `ws://127.0.0.1:${port}`,
    origin === undefined ? {} : { headers: { origin } },
  );
  onTestFinished(() => socket.terminate());
  const heard: string[] = [];
  let closed: number | undefined;
  socket.on('message', (data) => heard.push((data as Buffer).toString('utf8')));
  socket.on('close', (code) => (closed = code));
  await once(socket, 'open');
  socket.send('{"type":"xstate.inspecting"}');
  return { socket, heard, closed: () => closed };
}

test('pages of another origin are refused', async () => {
  const { actor, sessionId } = await startedAndKnown();
  for (const origin of ['https://evil.example', 'null', 'https://localhost.evil.example']) {
    const { socket, heard, closed } = await connectFrom(origin);
    socket.send(sending(sessionId));
    await until(() => closed() !== undefined);
    expect([closed(), heard]).toEqual([1008, []]);
  }
  expect(actor.getSnapshot().context.items).toBe(0);
  for (const origin of [undefined, 'http://localhost:5173', 'https://tools.example']) {
    const { heard } = await connectFrom(origin);
    await until(() => heard.some((text) => text.includes('service.register')));
  }
});

test('messages outside the protocol are ignored', async () => {
  const { actor, sessionId } = await startedAndKnown();
  const { socket } = await connectFrom(undefined);
  const event = (text: string) => JSON.stringify({ type: 'xstate.event', event: text });
  for (const text of [
    'not json',
    '{}',
    'null',
    '7',
    '[]',
    '{"type":"disconnect"}',
    event('}'),
    event('null'),
  ])
    socket.send(text);
  socket.send(Buffer.from('{}'), { binary: true });
  socket.send(sending(sessionId));
  await waitFor(actor, (snapshot) => snapshot.context.items === 1);
  const { heard } = await connectFrom(undefined);
  await until(() => heard.some((text) => text.includes('service.register')));
  expect(actor.getSnapshot().status).toBe('active');
});

test('an invalid WebSocket connection ends without affecting others', async () => {
  const { actor } = await startedAndKnown();
  const { port } = server.address() as AddressInfo;
  const socket = connectSocket({ host: '127.0.0.1', port });
  onTestFinished(() => void socket.destroy());
  socket.write(
    'GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  await once(socket, 'data');
  // Reserved bits are set.
  socket.write(Buffer.from([0xff, 0xff]));
  await once(socket, 'close');
  expect(actor.getSnapshot().status).toBe('active');
});

test('a tool that does not read is disconnected', async () => {
  const { port } = server.address() as AddressInfo;
  const tool = new WebSocket(`ws://127.0.0.1:${port}`);
  const [socket] = (await once(server, 'connection')) as [WebSocket];
  await until(() => tool.readyState === WebSocket.OPEN);
  tool.send(JSON.stringify({ type: 'xstate.inspecting' }));
  await once(socket, 'message');
  tool.pause();
  const text = 'a'.repeat(50_000);
  let most = 0;
  const actor = started();
  for (let count = 0; count < 400 && socket.readyState === WebSocket.OPEN; count += 1) {
    const event = { type: 'ring', text };
    actor.send(event);
    most = Math.max(most, socket.bufferedAmount);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(socket.readyState).not.toBe(WebSocket.OPEN);
  expect(most).toBeLessThan(8_000_000);
});
