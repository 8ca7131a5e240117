import { setTimeout as pause } from 'node:timers/promises';
import type { EventFilter } from '@dramaturg/host';
import {
  createHost,
  type Host,
  memoryStore,
  type Ports,
  understudyPorts,
} from '../../src/index.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { example } from '../service/stage.ts';
import { heldSpeech } from '../service/held-speech.ts';
import { withoutRepeating } from './without-repeating.ts';

async function hosted(ports: Partial<Ports>): Promise<Host> {
  const host = await createHost({
    store: memoryStore(),
    definitions: { intake: withoutRepeating(await example('customer-intake.plan')) },
    ports,
    channels: { main: { deliver: async () => {} } },
  });
  onTestFinished(() => host.stop({ within: 0 }));
  return host;
}

type Heard = readonly { readonly type: string; readonly key?: unknown; readonly text?: unknown }[];

/** Follows until the reply is stored. */
async function follow(host: Host, filter: EventFilter, onPart = () => {}): Promise<Heard> {
  const heard: Heard[number][] = [];
  for await (const { source, event } of host.events(filter)) {
    if ((event.type as string) === 'message.part') onPart();
    if (source === 'host' && event.type === 'message.delivered') break;
    heard.push(event);
  }
  return heard;
}

/** The text that the parts make, as a subscriber reads them. */
function textIn(heard: Heard): string {
  let text = '';
  for (const event of heard) {
    if (event.type !== 'message.part') continue;
    const { offset } = event as unknown as { readonly offset: number };
    text = text.slice(0, offset) + String(event.text);
  }
  return text;
}

const filters: readonly [name: string, filter: EventFilter][] = [
  ['an instance', { instance: 'a' }],
  ['an instance from its beginning', { instance: 'a', after: 'beginning' }],
  ['a contact', { contact: 'ada' }],
  ['a contact from the beginning', { contact: 'ada', after: 'beginning' }],
  ['all instances', {}],
  ['all instances from the beginning', { after: 'beginning' }],
  ['messages alone', { types: ['message.*'], after: 'beginning' }],
];

describe.each(filters)('a stream of %s', (_, filter) => {
  test.each(['before', 'after'])(
    'gives the parts of a reply before the stored message to a subscriber that comes %s the first of them',
    async (when) => {
      const { ports, release } = heldSpeech(3);
      const host = await hosted(ports);
      const earlier = host.events({ parts: true, types: ['message.part'] });
      await host.start('intake', { id: 'a', contact: 'ada' });
      if (when === 'after') await earlier.next();
      const heard = await follow(host, { ...filter, parts: true }, release);
      const sent = heard.findIndex(({ type }) => type === 'message.sent');
      expect(sent).toBeGreaterThan(0);
      const parts = heard.filter(({ type }) => type === 'message.part');
      expect(heard.findLastIndex(({ type }) => type === 'message.part')).toBeLessThan(sent);
      expect(parts[0]).toMatchObject({ offset: 0, key: heard[sent]!.key });
      expect(heard[sent]!.text).toMatch(/^Welcome/);
      expect(String(heard[sent]!.text).startsWith(textIn(heard))).toBe(true);
      expect(textIn(heard)).toMatch(/^Welcome! /);
      const isWhole = filter.after !== undefined && filter.types === undefined;
      const isFirst = heard[0]!.type === 'state.entered';
      expect(isFirst || !isWhole).toBe(true);
    },
  );

  test('gives no parts without being asked', async () => {
    const host = await hosted(heldSpeech(Infinity).ports);
    await host.start('intake', { id: 'a', contact: 'ada' });
    const heard = await follow(host, filter);
    expect(heard.some(({ type }) => type === 'message.part')).toBe(false);
  });
});

test('parts of other contacts and instances are not given', async () => {
  const { ports, release } = heldSpeech(1);
  const host = await hosted(ports);
  const heard = follow(host, { contact: 'bob', parts: true }, release);
  const single = follow(host, { instance: 'b', parts: true, after: 'beginning' }).catch(() => []);
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.start('intake', { id: 'b', contact: 'bob' });
  release();
  const parts = [...(await heard), ...(await single)].filter(({ type }) => type === 'message.part');
  expect(parts.length).toBeGreaterThan(0);
  expect(parts.filter(({ key }) => !String(key).startsWith('b/'))).toEqual([]);
});

test('a call that fails leaves no text behind', async () => {
  const ports = understudyPorts();
  const host = await hosted({
    ...ports,
    reply: async (_, { onText }) => {
      onText('Half a ');
      await pause(5);
      throw new Error('The model is down.');
    },
  });
  const failed = host.events({ types: ['turn.failed'] });
  await host.start('intake', { id: 'a', contact: 'ada' });
  await failed.next();
  const joined = host.events({ parts: true, types: ['message.part'] });
  const first = joined.next();
  await pause(60);
  await joined.return?.();
  expect(await first).toEqual({ done: true, value: undefined });
});

test.each(filters)(
  'a host that stops in a reply leaves its text to %s: the next host continues it',
  async (_, filter) => {
    const host = await hosted({
      ...understudyPorts(),
      reply: (__, { onText, signal }) =>
        new Promise((resolve, reject) => {
          onText('Half a ');
          signal.addEventListener('abort', () => reject(new Error('Aborted.')));
        }),
    });
    await host.start('intake', { id: 'a', contact: 'ada' });
    const parts = host.events({ ...filter, parts: true, types: ['message.part'] });
    expect((await parts.next()).value).toMatchObject({ event: { text: 'Half a ' } });
    const after = parts.next();
    await host.stop({ within: 0 });
    expect(await after).toEqual({ done: true, value: undefined });
  },
);
