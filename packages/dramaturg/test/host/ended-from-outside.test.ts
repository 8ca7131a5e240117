import { manualClock } from '@dramaturg/host';
import { until } from '@dramaturg/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  compile,
  conversationLifecycle,
  createHost,
  type Host,
  type HostOptions,
  type Ports,
  understudyPorts,
} from '../../src/index.ts';
import { places } from './stage.ts';

/** A conversation that a payment ends. */
const planOf = (farewell?: string) =>
  compile(
    JSON.stringify({
      id: 'pay',
      title: 'Pay',
      states: [
        {
          id: 'payment',
          title: 'Payment',
          tasks: [
            {
              id: 'pay',
              description: 'Ask for the payment',
              deliverables: [{ key: 'paid', type: 'string', required: true }],
            },
          ],
        },
      ],
      ...(farewell === undefined
        ? {}
        : {
            metadata: {
              plan_builder: {
                canvas: {
                  end_state_ids: ['payment'],
                  end_node_config: { farewell_message: farewell },
                },
              },
            },
          }),
    }),
    { fileName: 'pay.plan.json' },
  );

interface Wishes {
  readonly farewell?: string;
  readonly policies?: object;
  readonly ports?: Partial<Ports>;
  readonly store?: string;
}

async function hosted({ farewell, policies = {}, ports = {}, store = 'memory' }: Wishes = {}) {
  const clock = manualClock({ startAt: 1_800_000_000_000 });
  const sent: string[] = [];
  const heartbeat = { interval_ms: 60_000, max_followups: 2 };
  const lifecycle = compile(
    JSON.stringify({
      ...conversationLifecycle,
      policies: { ...conversationLifecycle.policies, ...policies },
    }),
  );
  const options: HostOptions = {
    store: places[store]!(),
    clock,
    definitions: { pay: { definition: planOf(farewell), lifecycle } },
    ports: { ...understudyPorts(), ...ports },
    channels: { main: { deliver: ({ text }) => void sent.push(text) } },
    onError: () => {},
  };
  const open = async () => {
    const host = await createHost(options);
    onTestFinished(() => host.stop({ within: 0 }));
    return host;
  };
  const host = await open();
  await host.start('pay', {
    id: 'a',
    contact: 'ada',
    lifecycleInput: { heartbeat_config: heartbeat },
  });
  await host.settle();
  const pass = async (on: Host, ms: number) => {
    clock.set(clock.now() + ms);
    await on.settle();
  };
  return { host, open, clock, sent, pass };
}

const paid = { type: 'plan.update', deliverables: { paid: 'yes' } };

const down = () => {
  throw new Error('The model is down.');
};

/** How an instance comes into each state, and the state. */
const ways: Readonly<
  Record<string, readonly [wishes: Wishes, go: (host: Host) => Promise<unknown>]>
> = {
  WAITING_FOR_REPLY: [{}, async () => {}],
  WAITING_FOR_AGENT: [
    { policies: { pick_up: 'when_available' } },
    async (host) => {
      await host.send('a', { type: 'agent.available' });
      await host.settle();
      await host.receive({ contact: 'ada', text: 'One moment' });
    },
  ],
  PAUSED: [{}, (host) => host.pause('a')],
  NEEDS_HUMAN_INTERVENTION: [
    { policies: { model_failure: { attempts: 1 } }, ports: { extract: down } },
    (host) => host.receive({ contact: 'ada', text: 'Which account?' }),
  ],
};

describe.each(Object.keys(places))('over the store %s', (store) => {
  test.each(Object.keys(ways))(
    'an update that ends a plan completes its instance in %s, and nothing follows',
    async (state) => {
      const [wishes, go] = ways[state]!;
      const { host, open, pass } = await hosted({ ...wishes, store });
      await go(host);
      await host.settle();
      expect((await host.get('a')).state).toBe(state);
      await host.start('pay', { id: 'b', contact: 'ada' });
      expect(await host.send('a', paid)).toMatchObject({ accepted: true, state: 'COMPLETED' });
      await host.settle();
      expect(await host.get('a')).toMatchObject({ state: 'COMPLETED', ended: true });
      // The contact's next conversation begins.
      expect((await host.get('b')).state).not.toBe('QUEUED');
      const said = await host.transcript('a', { from: 0, limit: 100 });
      await host.stop({ within: 0 });
      const again = await open();
      await pass(again, 1_000_000);
      expect(await again.get('a')).toMatchObject({ state: 'COMPLETED', waits: [] });
      expect(await again.transcript('a', { from: 0, limit: 100 })).toEqual(said);
    },
  );
});

test('an update takes back the reminder that is being made, and the farewell is said once', async () => {
  const ports = understudyPorts();
  let reminders = 0;
  const { host, sent, clock } = await hosted({
    farewell: 'Thank you for the payment.',
    ports: {
      reply: (input, call) => {
        if (!input.key.endsWith('/follow-up')) return ports.reply(input, call);
        reminders += 1;
        return new Promise(() => {});
      },
    },
  });
  const before = sent.length;
  clock.set(clock.now() + 60_000);
  await until(() => reminders === 1, 'the reminder');
  expect(await host.get('a')).toMatchObject({ state: 'HEARTBEAT_SCHEDULED' });
  await host.send('a', paid);
  await host.settle();
  expect(await host.get('a')).toMatchObject({ state: 'COMPLETED', waits: [] });
  expect([reminders, sent.slice(before)]).toEqual([1, ['Thank you for the payment.']]);
  const lines = await host.transcript('a', { from: 0, limit: 100 });
  expect(lines.filter(({ text }) => text === 'Thank you for the payment.')).toHaveLength(1);
});

test('a farewell is not said while the instance is paused', async () => {
  const { host, sent } = await hosted({ farewell: 'Thank you for the payment.' });
  const before = sent.length;
  await host.pause('a');
  await host.send('a', paid);
  await host.settle();
  expect(await host.get('a')).toMatchObject({ state: 'COMPLETED' });
  expect(sent.slice(before)).toEqual([]);
});

test('a strict lifecycle ends once it waits again', async () => {
  const { host } = await hosted({ policies: { strict: true } });
  await host.pause('a');
  await host.send('a', paid);
  expect((await host.get('a')).state).toBe('PAUSED');
  await host.resume('a');
  await host.settle();
  expect((await host.get('a')).state).toBe('COMPLETED');
});

test('an agent that asks for a person with its last words is not overtaken by the end', async () => {
  const toolCalls = [{ name: 'request_human_intervention', arguments: { reason: 'unsure' } }];
  const { host } = await hosted({
    ports: {
      extract: ({ message }) => ({ value: { deliverables: { paid: message ?? '' } } }),
      reply: ({ message }) => ({
        text: 'Well.',
        toolCalls: message === undefined ? [] : toolCalls,
      }),
    },
  });
  await host.receive({ contact: 'ada', text: 'yes' });
  await host.settle();
  expect((await host.get('a')).state).toBe('NEEDS_HUMAN_INTERVENTION');
});
