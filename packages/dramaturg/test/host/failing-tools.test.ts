import { manualClock } from '@dramaturg/host';
import { callToolPort, type PlainTool } from '@dramaturg/host/tools';
import { createActor, type EventObject, waitFor } from 'xstate';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  compile,
  createHost,
  listen,
  type PortInput,
  type Ports,
  providePorts,
  understudyPorts,
} from '../../src/index.ts';
import { places } from './stage.ts';

const state = (name: string, exits: readonly object[], tools: readonly object[]) => ({
  type: 'action',
  name,
  objective: `Do ${name}`,
  actions: ['Speak'],
  intra_state_navigation_guidelines: [],
  action_guidelines: [],
  boundary_constraints: [],
  exit_conditions: exits,
  action_tool_call_specs: tools,
});

const graph = compile(
  JSON.stringify({
    description: 'A graph.',
    new_user_initial_state: 'help',
    returning_user_initial_state: 'help',
    terminal_state: 'bye',
    references: {},
    global_intra_state_navigation_guidelines: [],
    global_action_guidelines: [],
    global_boundary_constraints: [],
    states: [
      state(
        'help',
        [{ description: 'Done', next_state: 'bye' }],
        [
          {
            tool_id: 'find_booking',
            version_constraint: '>=1',
            additional_instruction: 'Look it up',
            result_persistence: 'ephemeral',
          },
        ],
      ),
      state('bye', [], []),
    ],
  }),
  { fileName: 'booking.context-graph.json' },
);

/** An agent that looks a booking up before it speaks, and says what came of it. */
function portsWith(run: PlainTool['run'], more: Partial<PlainTool> = {}, time = 10_000) {
  const keys: string[] = [];
  const booking: PlainTool = {
    run: (input, use) => {
      keys.push(use.key);
      return run(input, use);
    },
    ...more,
  };
  const ports: Partial<Ports> = {
    ...understudyPorts(),
    recall: () => ({ memories: [] }),
    reply: ({ prompt }) => {
      const seen = resultIn(prompt);
      return seen === undefined
        ? { text: '', toolCalls: [{ name: 'find_booking', arguments: {} }] }
        : { text: seen };
    },
    callTool: callToolPort({ tools: { find_booking: booking }, toolLimits: { time } }),
  };
  return { ports, keys };
}

function resultIn(prompt: PortInput<'reply'>['prompt']): string | undefined {
  const text = prompt.map((section) => section.text).join('\n');
  return /no booking has the number|found|did not answer|busy/.exec(text)?.[0];
}

const unknown: PlainTool['run'] = () => {
  throw new Error('no booking has the number B-77');
};

async function hosted(ports: Partial<Ports>, store = 'memory') {
  const clock = manualClock({ startAt: 1_800_000_000_000 });
  const sent: string[] = [];
  const host = await createHost({
    store: places[store]!(),
    clock,
    definitions: { booking: graph },
    ports,
    channels: { main: { deliver: ({ text }) => void sent.push(text) } },
    onError: () => {},
  });
  onTestFinished(() => host.stop({ within: 0 }));
  await host.start('booking', { id: 'a', contact: 'ada' });
  await host.settle();
  const happened = async () =>
    (await host.journal('a', { from: 0, limit: 1_000 })).map(
      (line) => (line as unknown as { readonly event: EventObject }).event,
    );
  return { host, clock, sent, happened };
}

test('the error of a tool is an answer for the model, in memory', async () => {
  const happened: EventObject[] = [];
  const actor = createActor(
    providePorts(graph.machine!, portsWith(unknown).ports),
    listen((event) => void happened.push(event)),
  );
  actor.start();
  await waitFor(actor, (snapshot) => snapshot.hasTag('waiting'));
  expect(happened).toContainEqual(
    expect.objectContaining({ type: 'message.sent', text: 'no booking has the number' }),
  );
});

describe.each(Object.keys(places))('on a host, over the store %s', (store) => {
  test('the error of a tool is an answer for the model, at once, and the journal has it', async () => {
    const { ports, keys } = portsWith(unknown);
    const { sent, happened } = await hosted(ports, store);
    expect(sent).toEqual(['no booking has the number']);
    expect(keys).toHaveLength(1);
    expect(await happened()).toContainEqual(
      expect.objectContaining({
        type: 'tool.called',
        tool: 'find_booking',
        error: expect.stringContaining('B-77'),
      }),
    );
  });

  test('a tool is called again, with the same key, after an error that says that it is temporary', async () => {
    let isBusy = true;
    const { ports, keys } = portsWith(() => {
      if (isBusy) throw Object.assign(new Error('The system is busy.'), { temporary: true });
      return 'found';
    });
    const { host, clock, sent, happened } = await hosted(ports, store);
    expect(sent).toEqual([]);
    isBusy = false;
    clock.set(clock.now() + 60_000);
    await host.settle();
    expect(sent).toEqual(['found']);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect(await happened()).toContainEqual(
      expect.objectContaining({ type: 'turn.attempt.failed', port: 'callTool', attempt: 1 }),
    );
  });
});

test('an error that stays temporary is an answer after the last attempt', async () => {
  const { ports, keys } = portsWith(() => {
    throw Object.assign(new Error('busy'), { temporary: true });
  });
  const { host, clock, sent } = await hosted(ports);
  for (let attempt = 0; attempt < 6; attempt += 1) {
    clock.set(clock.now() + 600_000);
    await host.settle();
  }
  expect(sent).toEqual(['busy']);
  expect(keys).toHaveLength(6);
});

test.each([
  [false, 'did not answer', 1],
  [true, undefined, 1],
])('a timeout of a tool that is idempotent (%s) is said as %j', async (idempotent, said, calls) => {
  const { ports, keys } = portsWith(() => new Promise(() => {}), { idempotent }, 1);
  const { host, sent } = await hosted(ports);
  expect(sent).toEqual(said === undefined ? [] : [said]);
  expect(keys).toHaveLength(calls);
  const { waits } = await host.get('a');
  expect(waits.some((wait) => wait.for === 'retry')).toBe(idempotent);
});

test('an own port says the same with an error, or with its code', async () => {
  const { ports } = portsWith(unknown);
  const callTool: Ports['callTool'] = () => {
    throw Object.assign(new Error('busy'), { temporary: true });
  };
  const { host } = await hosted({ ...ports, callTool });
  const { waits } = await host.get('a');
  expect(waits).toContainEqual(expect.objectContaining({ for: 'retry', error: 'port/temporary' }));
});
