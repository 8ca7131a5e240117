import { type ErrorEvent, EventSource } from 'eventsource';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { expect, test } from 'vitest';
import { served } from './stage.ts';

/** Opens a stream, and closes it after some events. */
async function read(
  url: string,
  query: string,
  until: (messages: readonly EventSourceMessage[]) => boolean,
  lastEventId?: string,
) {
  const leaving = new AbortController();
  const headers: Record<string, string> = lastEventId ? { 'last-event-id': lastEventId } : {};
  const response = await fetch(`${url}/events?${query}`, { signal: leaving.signal, headers });
  const all: EventSourceMessage[] = [];
  const messages = () => all.filter(({ event }) => event === undefined);
  const parser = createParser({ onEvent: (message) => all.push(message) });
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    parser.feed(part);
    if (until(messages())) break;
  }
  leaving.abort();
  return { messages: messages(), lastId: all.findLast(({ id }) => id !== undefined)?.id };
}

const scopes: readonly [name: string, query: string][] = [
  ['all instances', ''],
  ['an instance', 'instance=a'],
  ['a contact', 'contact=ada'],
];

test.each(scopes)(
  'a stream of %s that is cut off before its first event misses nothing',
  async (_, query) => {
    const { url, host } = await served();
    await host.start('intake', { id: 'a', contact: 'ada' });
    await host.settle();
    const first = await read(url, query, () => true);
    expect(first.messages).toEqual([]);
    expect(first.lastId).toBeDefined();
    await host.pause('a');
    const resumed = await read(url, query, (messages) => messages.length > 0, first.lastId);
    expect(JSON.parse(resumed.messages[0]!.data)).toMatchObject({
      instance: 'a',
      event: { type: 'state.entered', state: 'PAUSED' },
    });
  },
);

test('a stream gives each stored event once, whenever it is cut off', async () => {
  const { url, host } = await served();
  const ids = ['a', 'b', 'c'];
  await Promise.all(ids.map((id) => host.start('intake', { id, contact: id })));
  for (const id of ids) await host.receive({ contact: id, text: 'Ada Byron' });
  await host.settle();
  await host.pause('a');
  const whole: string[] = [];
  for await (const event of host.events({ after: 'beginning' })) {
    whole.push(JSON.stringify(event));
    if (whole.at(-1)!.includes('"state":"PAUSED"')) break;
  }
  expect(whole.length).toBeGreaterThan(20);
  const seen: string[] = [];
  let last: string | undefined = 'beginning';
  for (let length = 1; seen.length < whole.length; length += 1) {
    const wanted = Math.min(length, whole.length - seen.length);
    const { messages } = await read(url, '', (found) => found.length >= wanted, last);
    const taken = messages.slice(0, wanted);
    seen.push(...taken.map(({ data }) => data));
    last = taken.at(-1)?.id;
  }
  expect(seen).toEqual(whole);
});

test('an EventSource with a cursor of a replaced store stops', async () => {
  const before = await served();
  await before.host.start('intake', { id: 'a', contact: 'ada' });
  await before.host.settle();
  const cursors = await Promise.all(
    scopes.map(async ([, query]) => (await read(before.url, query, () => true)).lastId!),
  );
  for (const isEmpty of [true, false]) {
    const { url, host } = await served();
    if (!isEmpty) await host.start('intake', { id: 'a', contact: 'ada' });
    for (const [index, [, query]] of scopes.entries()) {
      const address = `${url}/events?${query}&after=${encodeURIComponent(cursors[index]!)}`;
      const source = new EventSource(address);
      const { code } = await new Promise<ErrorEvent>((resolve) => {
        source.addEventListener('error', resolve);
      });
      expect([query, [404, 410].includes(code!), source.readyState]).toEqual([
        query,
        true,
        source.CLOSED,
      ]);
    }
  }
});

test('wrong cursors and filters are refused', async () => {
  const { ask, host } = await served();
  await host.start('intake', { id: 'a', contact: 'ada' });
  for (const query of ['after=nonsense', 'instance=a&after=5', 'instance=a&contact=ada', 'typ=x'])
    expect((await ask('GET', `/events?${query}`)).status).toBe(400);
  expect((await ask('GET', '/events?instance=unknown')).status).toBe(404);
});
