import type { PortError } from '@dramaturg/compiler';
import { until } from '@dramaturg/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { choose, portsOver, quietly, reply } from './ports-over.ts';

test.each([429, 500, 503, 408])('a request that fails with %i is retried', async (status) => {
  const ports = await portsOver((_, count) => (count < 3 ? { status } : { text: 'Good.' }));
  expect(await ports.reply(reply(), quietly())).toMatchObject({
    text: 'Good.',
    usage: { requests: 3 },
  });
});

test.each([400, 401, 403, 404, 422])(
  'a request that fails with %i is not retried',
  async (status) => {
    const ports = await portsOver({ status });
    await expect(ports.reply(reply(), quietly())).rejects.toMatchObject({
      code: 'port/refused',
      usage: { requests: 1, inputTokens: 0, outputTokens: 0 },
    });
    expect(ports.server.requests).toHaveLength(1);
  },
);

test('a connection that is cut before the first word is retried', async () => {
  const ports = await portsOver((_, count) =>
    count === 1 ? { cut: 'before' } : { text: 'Good.' },
  );
  expect(await ports.reply(reply(), quietly())).toMatchObject({ text: 'Good.' });
});

test('a reply that is cut in the middle is not retried, because its beginning was streamed', async () => {
  const ports = await portsOver({ text: 'one two three four five six', cut: 'midway' });
  const parts: string[] = [];
  const asked = ports.reply(reply(), quietly({ onText: (part) => parts.push(part) }));
  await expect(asked).rejects.toMatchObject({
    message: expect.stringMatching(/^The connection to .* was cut while .*: try again\.$/),
  });
  expect(parts.length).toBeGreaterThan(0);
  expect(ports.server.requests).toHaveLength(1);
});

test('a closed answer that is cut in the middle is retried', async () => {
  const text = JSON.stringify({ option: 'stay', reason: 'because' });
  const ports = await portsOver((_, count) => (count === 1 ? { cut: 'before' } : { text }));
  expect(await ports.choose(choose(), quietly())).toMatchObject({ option: 'stay' });
});

test.each([
  ['in seconds', () => '1'],
  ['as a date', () => new Date(Date.now() + 1_000).toUTCString()],
])('a retry waits as long as the server says %s', async (_, when) => {
  // The clock stands at a whole second, because the date has no milliseconds, and a busy machine reads it late.
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-02T09:30:00Z') });
  onTestFinished(() => void vi.useRealTimers());
  const ports = await portsOver((_request, count) =>
    count === 1 ? { status: 429, headers: { 'retry-after': when() } } : { text: 'Good.' },
  );
  const began = performance.now();
  await ports.reply(reply(), quietly());
  expect(performance.now() - began).toBeGreaterThan(900);
});

test('a request is not retried when the server asks to wait for an hour', async () => {
  const ports = await portsOver({ status: 429, headers: { 'retry-after': '3600' } });
  await expect(ports.reply(reply(), quietly())).rejects.toMatchObject({
    message: expect.stringContaining('accepts no more requests at present: wait a while'),
  });
});

test('after the last attempt the call fails with its usage', async () => {
  const ports = await portsOver({ status: 500 }, { retries: 2 });
  const failure = await Promise.resolve(ports.reply(reply(), quietly())).catch(
    (error: unknown) => error as PortError,
  );
  expect(failure).toMatchObject({
    message: expect.stringContaining('failed with status 500: try again later.'),
    usage: { requests: 3 },
  });
});

test.each(['reply', 'choose', 'think', 'extract'] as const)(
  'a cancelled call of "%s" closes its connection',
  async (port) => {
    const ports = await portsOver({ text: 'one two three four', delay: 60_000 });
    const cancelling = new AbortController();
    const asked = Promise.resolve(
      ports[port](
        { ...reply(), ...choose(), schema: {} } as never,
        quietly({ signal: cancelling.signal }),
      ),
    );
    await until(() => ports.server.requests.length === 1, 'the request');
    cancelling.abort();
    await expect(asked).rejects.toMatchObject({ message: 'The call was cancelled.' });
    await until(() => ports.server.left() === 1, 'the closed connection');
  },
);

test('a call that is cancelled during streaming closes its connection', async () => {
  const ports = await portsOver({ text: 'one two three four', pace: 100 });
  const cancelling = new AbortController();
  const parts: string[] = [];
  const onText = (part: string) => {
    parts.push(part);
    cancelling.abort();
  };
  const asked = ports.reply(reply(), quietly({ signal: cancelling.signal, onText }));
  await expect(asked).rejects.toMatchObject({ message: 'The call was cancelled.' });
  await until(() => ports.server.left() === 1, 'the closed connection');
  expect(parts).toEqual(['one']);
});

test('a call that is cancelled between two attempts is not retried', async () => {
  const ports = await portsOver({ status: 500 }, { retryDelay: 60_000 });
  const cancelling = new AbortController();
  const asked = ports.reply(reply(), quietly({ signal: cancelling.signal }));
  await until(() => ports.server.requests.length === 1, 'the request');
  cancelling.abort();
  await expect(asked).rejects.toMatchObject({ message: 'The call was cancelled.' });
  expect(ports.server.requests).toHaveLength(1);
});
