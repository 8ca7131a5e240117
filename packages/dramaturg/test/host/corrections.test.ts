import { manualClock } from '@dramaturg/host';
import { expect, onTestFinished, test } from 'vitest';
import {
  compile,
  createHost,
  type HostOptions,
  type StoreLocation,
  understudyPorts,
} from '../../src/index.ts';
import { sampled } from '../../../../.config/scaled.ts';
import { halfWrites, killedStore } from './killed-store.ts';
import { places } from './stage.ts';

/** A minor who corrects her age does not sign. Spec: docs/formats/plan.md#corrections */

const asks = (key: string, type: string, more: object = {}) => ({
  id: `ask_${key}`,
  description: `Ask ${key}`,
  deliverables: [{ key, type, description: key, ...more }],
});
const shop = compile(
  JSON.stringify({
    id: 'shop',
    title: 'Shop',
    states: [
      {
        id: 'intake',
        title: 'Intake',
        tasks: [asks('age', 'number')],
        transitions: [
          {
            target_state_id: 'contract',
            priority: 1,
            condition_type: 'deliverable_value_numeric',
            condition_config: { deliverable_key: 'age', operator: '>=', expected_value: 18 },
          },
          { target_state_id: 'guardian', priority: 2 },
        ],
      },
      { id: 'contract', title: 'Contract', tasks: [asks('signed', 'boolean', { confirm: true })] },
      { id: 'guardian', title: 'Guardian', tasks: [asks('guardian', 'string')] },
    ],
  }),
  { fileName: 'shop.plan.json' },
);

async function hosted(store: StoreLocation) {
  const options: HostOptions = {
    store,
    clock: manualClock({ startAt: 1_800_000_000_000 }),
    definitions: { shop },
    ports: {
      ...understudyPorts(),
      extract: ({ message = '', asked }) => {
        const age = /\d+/.exec(message)?.[0];
        const signs = message === 'yes' && asked?.path.at(-1) === 'signed';
        return {
          value: {
            deliverables: { ...(age && { age: Number(age) }), ...(signs && { signed: true }) },
          },
        };
      },
    },
    channels: { main: { deliver: () => {} } },
    onError: () => {},
  };
  let host = await createHost(options);
  onTestFinished(() => host.stop({ within: 0 }));
  await host.start('shop', { id: 'a', contact: 'ada' });
  await host.settle();
  return {
    say: async (id: string, text: string) => {
      await host.receive({ contact: 'ada', id, text });
      await host.settle();
    },
    reopen: async () => {
      await host.stop({ within: 0 });
      host = await createHost(options);
      await host.settle();
    },
    flow: async (type: string) => {
      const lines = await host.journal('a', { from: 0, limit: 1_000 });
      return (lines as unknown as { source: string; event: Record<string, unknown> }[])
        .filter(({ source, event }) => source === 'flow' && event['type'] === type)
        .map(({ event }) => event['state'] ?? event['deliverable']);
    },
    state: async () => (await host.get('a')).state,
  };
}

const lines = ['25', 'sorry, my age is 15', 'yes'];

test.each(Object.keys(places))('over the store %s, across restarts', async (store) => {
  const one = await hosted(places[store]!());
  for (const [index, line] of lines.entries()) {
    await one.say(`m${index}`, line);
    await one.reopen();
  }
  expect(await one.flow('state.entered')).toEqual(['intake', 'contract', 'guardian']);
  expect(await one.flow('deliverable.collected')).not.toContain('signed');
  expect(await one.state()).toBe('WAITING_FOR_REPLY');
});

test('a kill at any write changes nothing of it', async () => {
  for (const half of sampled(halfWrites)) {
    const store = killedStore();
    const one = await hosted(store);
    store.killAt(half);
    for (const [index, line] of lines.entries()) {
      await Promise.race([one.say(`m${index}`, line).catch(() => {}), store.death]);
      if (store.isDead) await one.reopen();
      await one.say(`m${index}`, line);
    }
    expect(await one.flow('state.entered')).toEqual(['intake', 'contract', 'guardian']);
    expect(await one.flow('deliverable.collected')).not.toContain('signed');
  }
});
