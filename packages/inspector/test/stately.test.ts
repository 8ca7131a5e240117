import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInspector } from '@dramaturg/inspector';
import { showInStately } from '@dramaturg/inspector/stately';
import {
  createWebSocketInspector,
  createWebSocketReceiver,
  type StatelyInspectionEvent,
} from '@statelyai/inspect';
import { createInspectorServer } from '@statelyai/inspect/server';
import { expect, onTestFinished, test } from 'vitest';
import { createActor, createMachine, type AnyStateMachine } from 'xstate';
import { order } from './machines.ts';

/** Its server takes no port of the system's choice. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  return port;
}

test("Stately's server and receiver get what was kept and what follows, and its machine can be made again", async () => {
  const port = await freePort();
  const server = createInspectorServer({ port, url: 'http://127.0.0.1:1/', autoOpen: false });
  onTestFinished(() => server.stop());
  const heard: StatelyInspectionEvent[] = [];
  createWebSocketReceiver({ server: `ws://127.0.0.1:${port}` }).subscribe(
    (event) => void heard.push(event),
  );
  const inspector = createInspector();
  const actor = createActor(order, { inspect: inspector.inspect }).start();
  actor.send({ type: 'add' });
  const stately = createWebSocketInspector({ url: `ws://127.0.0.1:${port}` });
  onTestFinished(() => stately.stop());
  const stop = showInStately(inspector, stately);
  actor.send({ type: 'add' });
  const count = () => heard.filter(({ type }) => type === '@xstate.snapshot').length;
  await expect.poll(count).toBe(4);
  stop();
  actor.send({ type: 'add' });
  const [first] = heard;
  expect(first).toMatchObject({ type: '@xstate.actor', name: 'order' });
  const definition = (first as { readonly definition: string }).definition;
  const again: AnyStateMachine = createMachine(JSON.parse(definition));
  expect(Object.keys(again.states)).toEqual(Object.keys(order.states));
  expect(heard.findLast(({ type }) => type === '@xstate.snapshot')).toMatchObject({
    snapshot: { value: { open: { basket: 'filled', till: 'idle' } }, context: { items: 2 } },
  });
});
