import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { InspectorEvent } from '@dramaturg/inspector';
import type { RunMessage } from '@dramaturg/inspector/server';
import { expect, onTestFinished, test } from 'vitest';
import { RunWriter, waitingMax } from '../src/server/run-writer.ts';

/** A server with one route, and the response to its next client. */
async function serving() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const response = once(server, 'request').then(([, answer]) => answer as ServerResponse);
  return { port, response };
}

function eventWith(number: number): InspectorEvent {
  return {
    type: '@xstate.event',
    sessionId: 'x',
    rootId: 'x',
    sourceId: undefined,
    event: { type: 'said', text: 'a'.repeat(10_000) },
    createdAt: '0',
    id: String(number),
    _version: '1',
  };
}

const pushed = (number: number): RunMessage => ({ kind: 'events', events: [eventWith(number)] });

test('a client that does not read is dropped, and what waits for it is bounded', async () => {
  const { port, response: asked } = await serving();
  const client = connect(port, '127.0.0.1');
  client.on('error', () => {});
  // Without a listener for data, the socket is never read.
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const response = await asked;
  const writer = new RunWriter(response);
  let most = 0;
  let count = 0;
  for (; count < 10_000 && !response.destroyed; count += 1) {
    writer.push(pushed(count));
    most = Math.max(most, response.writableLength);
    if (count % 10 === 0) await nextTurn();
  }
  expect(response.destroyed).toBe(true);
  // The buffers of the system hold some megabytes.
  expect(count * 10_000).toBeLessThan(4 * waitingMax.blocked);
  // The writer waits for each line to be read.
  expect(most).toBeLessThan(1_000_000);
  client.destroy();
});

test('a client that reads gets every event once and in order, also those of a burst', async () => {
  const { port, response: asked } = await serving();
  const text = new Promise<string>((resolve) => {
    request({ port, host: '127.0.0.1' }, (response) => {
      let all = '';
      response.setEncoding('utf8').on('data', (part: string) => (all += part));
      response.on('end', () => resolve(all));
    }).end();
  });
  const response = await asked;
  const writer = new RunWriter(response);
  const events = Array.from({ length: 1_000 }, (_, index) => eventWith(index));
  writer.push({ kind: 'recording', sources: [], actors: [], events });
  writer.push({ kind: 'status', live: true });
  for (let number = 1_000; number < 3_000; number += 1) writer.push(pushed(number));
  await writer.end();
  const messages = (await text)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RunMessage);
  const ids = messages.flatMap((message) =>
    message.kind === 'events' ? message.events.map(({ id }) => Number(id)) : [],
  );
  expect(ids).toEqual(Array.from({ length: 3_000 }, (_, index) => index));
  expect(messages.map(({ kind }) => kind).filter((kind) => kind !== 'events')).toEqual([
    'recording',
    'status',
  ]);
});
