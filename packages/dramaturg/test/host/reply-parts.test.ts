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
import { slowPorts } from '../service/slow-ports.ts';
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
async function follow(host: Host, filter: EventFilter): Promise<Heard> {
  const heard: Heard[number][] = [];
  for await (const { source, event } of host.events(filter)) {
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
  test.each([0, 3])(
    'gives the parts of a reply before the stored message, also to a subscriber that comes after %s of them',
    async (count) => {
      const host = await hosted(slowPorts(20));
      const earlier = host.events({ parts: true, types: ['message.part'] });
      await host.start('intake', { id: 'a', contact: 'ada' });
      for (let part = 0; part < count; part += 1) await earlier.next();
      const heard = await follow(host, { ...filter, parts: true });
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
    const host = await hosted(slowPorts(1));
    await host.start('intake', { id: 'a', contact: 'ada' });
    const heard = await follow(host, filter);
    expect(heard.some(({ type }) => type === 'message.part')).toBe(false);
  });
});

test('parts of other contacts and instances are not given', async () => {
  const host = await hosted(slowPorts(10));
  const heard = follow(host, { contact: 'bob', parts: true });
  const single = follow(host, { instance: 'b', parts: true, after: 'beginning' }).catch(() => []);
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.start('intake', { id: 'b', contact: 'bob' });
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
