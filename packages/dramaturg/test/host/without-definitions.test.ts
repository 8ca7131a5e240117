import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compile,
  createHost,
  type Host,
  memoryStore,
  type Store,
  understudyPorts,
} from 'dramaturg';
import { readStore } from 'dramaturg/store';
import { expect, test } from 'vitest';
import { examples } from '../command.ts';
import { lifecycles } from './lifecycles.ts';

const intake = compile(readFileSync(join(examples, 'customer-intake.plan.json'), 'utf8'));
const order = compile(readFileSync(join(examples, 'order.asl.json'), 'utf8'));
const silent = { console: { deliver: () => {} } };
const ports = {
  ...understudyPorts(),
  runAgent: () => ({ result: 120 }),
};

test('a host without definitions starts the next instance in a contact queue', async () => {
  const store = memoryStore();
  let isBroken = false;
  const breaking = {
    read: () => store.read(),
    open: async (owner: string): Promise<Store> => {
      const opened = await store.open(owner);
      const list: Store['list'] = (filter, page) =>
        isBroken ? Promise.reject(new Error('The list is broken.')) : opened.list(filter, page);
      return new Proxy(opened, {
        get: (target, name) => {
          if (name === 'list') return list;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    },
  };
  const first = await createHost({
    store: breaking,
    definitions: { intake },
    ports,
    channels: silent,
    onError: () => {},
  });
  await first.start('intake', { id: 'a', contact: 'ada' });
  await first.start('intake', { id: 'b', contact: 'ada' });
  await first.settle();
  // The process ends between the end of one instance and the turn of the next.
  isBroken = true;
  await first.cancel('a');
  await first.stop();
  isBroken = false;
  const second = await createHost({ store, ports, channels: silent });
  await second.settle();
  expect((await second.get('b')).state).toBe('WAITING_FOR_REPLY');
  await second.stop();
});

test('a definition can be added to a running host', async () => {
  const host = await createHost({ store: memoryStore(), ports, channels: silent });
  await expect(host.start('intake')).rejects.toMatchObject({ code: 'host/unknown-definition' });
  await host.define({ name: 'intake', chart: intake.chart!, lifecycle: lifecycles.conversation });
  expect(host.definitions).toEqual(['intake']);
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.settle();
  expect((await host.get('a')).state).toBe('WAITING_FOR_REPLY');
  await host.stop();
});

test('the view has open decisions and due timers', async () => {
  const host = await createHost({ store: memoryStore(), definitions: { order, intake }, ports });
  await host.start('order', { id: 'o', input: { input: { items: [1] } } });
  await host.start('intake', { id: 'i', contact: 'ada' });
  await host.settle();
  expect((await host.get('o')).decisions).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-z]{8}$/),
      key: expect.stringMatching(/^o\//),
      prompt: 'Send goods for 120 euros?',
      options: ['approve', 'reject'],
      reserved: expect.arrayContaining(['decision', 'comment']) as string[],
    },
  ]);
  const { dueAt, timers } = await host.get('i');
  expect(timers).toEqual([{ key: expect.stringMatching(/^lifecycle:/), at: dueAt }]);
  await host.pause('o');
  expect((await host.get('o')).decisions).toEqual([]);
  await host.stop();
});

test('reading a store does not change it', async () => {
  const store = memoryStore();
  const said: string[] = [];
  const channels = { console: { deliver: ({ text }: { text: string }) => void said.push(text) } };
  const host = await createHost({ store, definitions: { intake }, ports, channels });
  const lifecycleInput = { heartbeat_config: { interval_ms: 1, max_followups: 3 } };
  await host.start('intake', { id: 'i', contact: 'ada' });
  await host.start('intake', { id: 'j', contact: 'bob', lifecycleInput });
  await until(host, async () => (await host.get('j')).state === 'ABANDONED');
  await host.stop();
  const before = said.length;
  const reader = await readStore(store);
  expect((await reader.list()).items.map(({ id }) => id)).toEqual(['i', 'j']);
  expect((await reader.get('i')).state).toBe('WAITING_FOR_REPLY');
  expect((await reader.transcript('i', { from: 0, limit: 10 })).length).toBeGreaterThan(0);
  await reader.stop();
  expect(said).toHaveLength(before);
});

async function until(host: Host, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('It has not come about.');
    await host.settle();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
