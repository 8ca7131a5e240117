import { readFileSync } from 'node:fs';
import { manualClock } from '@dramaturg/host';
import { until, virtualClock } from '@dramaturg/testing';
import {
  type Clock,
  compile,
  type Host,
  type InstanceView,
  type Ports,
  understudyPorts,
} from 'dramaturg';
import { expect, test } from 'vitest';
import { places, Stage } from './stage.ts';
import { withoutRepeating } from './without-repeating.ts';

/** What `get` says about an instance of each format: its data, its failure, and what it waits for. */

const token = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';

interface StageOptions {
  readonly ports?: Partial<Ports>;
  readonly at?: string;
  readonly clock?: Clock;
  /** Whether failed calls of conversations are made again. */
  readonly repeats?: boolean;
}

async function stageWith(
  definition: object | string,
  {
    ports = {},
    at = 'memory',
    clock = virtualClock({ startAt: 0 }),
    repeats = true,
  }: StageOptions = {},
): Promise<{ readonly host: Host }> {
  const text =
    typeof definition === 'string' ? definition : JSON.stringify(definition, undefined, 2);
  const { host } = await Stage.open({
    store: places[at]!(),
    definitions: { flow: repeats ? compile(text) : withoutRepeating(compile(text)) },
    ports: { ...understudyPorts(), ...ports },
    channels: { console: { deliver: () => {} } },
    clock,
  });
  return { host };
}

const ended = (host: Host) => async () => (await host.get('w')).ended;
const waitsFor = (host: Host, what: string) => async () =>
  (await host.get('w')).waits.some((wait) => wait.for === what);

const steps = ({ path }: InstanceView['states'][number]) =>
  path
    .flatMap(({ state, item, branch }) => [
      state,
      ...[item, branch].filter((at) => at !== undefined),
    ])
    .join('/');

const inItem = (state: object) => ({
  StartAt: 'Orders',
  States: {
    Orders: {
      Type: 'Map',
      ItemsPath: '$.orders',
      MaxConcurrency: 2,
      ItemProcessor: {
        StartAt: 'Both',
        States: {
          Both: {
            Type: 'Parallel',
            Branches: [
              { StartAt: 'Later', States: { Later: { Type: 'Wait', Seconds: 60, End: true } } },
              { StartAt: 'Inner', States: { Inner: state } },
            ],
            End: true,
          },
        },
      },
      End: true,
    },
  },
});

test('a workflow shows its input, and its output once it has ended', async () => {
  const { host } = await stageWith({
    StartAt: 'A',
    States: { A: { Type: 'Pass', Result: { b: 2 }, End: true } },
  });
  await host.start('flow', { id: 'w', input: { input: { a: 1 } } });
  await until(ended(host), 'the end');
  const { input, output, failure, states, waits } = await host.get('w');
  expect({ input, output, failure, states, waits }).toEqual({
    input: { a: 1 },
    output: { b: 2 },
    failure: undefined,
    states: [],
    waits: [],
  });
});

test.for(['memory', 'lowdb', 'sqlite'])(
  'open tokens, timers and items have their states and times (%s)',
  async (at) => {
    const state = { Type: 'Task', Resource: token, TimeoutSeconds: 30, HeartbeatSeconds: 20 };
    const { host } = await stageWith(inItem({ ...state, End: true }), {
      at,
      clock: manualClock({ startAt: 0 }),
      ports: { runAgent: () => ({ result: null }) },
    });
    await host.start('flow', { id: 'w', input: { input: { orders: [1, 2, 3] } } });
    await until(
      async () => (await host.get('w')).waits.filter((wait) => wait.for === 'token').length === 2,
      'both tokens',
    );
    const { waits } = await host.get('w');
    expect(waits.filter((wait) => wait.for === 'items')).toEqual([
      {
        for: 'items',
        source: 'flow',
        path: [{ state: 'Orders' }],
        position: { line: 4, column: 15 },
        since: 0,
        total: 3,
        waiting: 1,
        running: 2,
        failed: 0,
      },
    ]);
    const tokens = waits.filter((wait) => wait.for === 'token');
    expect(tokens.map(steps)).toEqual(['Orders/0/Both/1/Inner', 'Orders/1/Both/1/Inner']);
    for (const { since, timeoutAt, heartbeatAt } of tokens)
      expect([since, timeoutAt, heartbeatAt]).toEqual([0, 30_000, 20_000]);
    const timers = waits.filter((wait) => wait.for === 'timer');
    expect(timers.map(steps)).toEqual(['Orders/0/Both/0/Later', 'Orders/1/Both/0/Later']);
    expect(timers.map(({ at: due }) => due)).toEqual([60_000, 60_000]);
    // The token that is shown completes its task.
    for (const { token: shown } of tokens)
      expect(
        await host.send('w', { type: 'task.succeeded', token: shown, output: 1 }),
      ).toMatchObject({ accepted: true });
  },
);

test('a failure shows the state in which it happened, inside items and branches', async () => {
  const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD';
  const { host } = await stageWith(inItem({ Type: 'Fail', Error: 'Gone', Cause: secret }));
  await host.start('flow', { id: 'w', input: { input: { orders: [1] } } });
  await until(ended(host), 'the end');
  const { failure, output } = await host.get('w');
  expect(output).toBeUndefined();
  expect(failure).toMatchObject({ error: 'Gone' });
  expect(failure!.cause).not.toContain('abcdefghij');
  expect(steps(failure!.state!)).toBe('Orders/0/Both/1/Inner');
});

test('a failure that a catcher has handled is not shown', async () => {
  const { host } = await stageWith(
    {
      StartAt: 'A',
      States: {
        A: {
          Type: 'Task',
          Agent: 'a',
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }],
          End: true,
        },
        B: { Type: 'Fail', Error: 'Second' },
      },
    },
    { ports: { runAgent: () => Promise.reject(new Error('first')) } },
  );
  await host.start('flow', { id: 'w' });
  await until(ended(host), 'the end');
  const { failure } = await host.get('w');
  expect({ ...failure, state: steps(failure!.state!) }).toEqual({
    error: 'Second',
    cause: null,
    state: 'B',
  });
});

test('a run that has timed out shows the state that it was in', async () => {
  const { host } = await stageWith({
    StartAt: 'A',
    TimeoutSeconds: 5,
    States: { A: { Type: 'Wait', Seconds: 60, End: true } },
  });
  await host.start('flow', { id: 'w' });
  await until(ended(host), 'the end');
  const { failure } = await host.get('w');
  expect(failure).toMatchObject({ error: 'States.Timeout', state: { path: [{ state: 'A' }] } });
});

test('a retry shows the error, its number and when it is due', async () => {
  const state = {
    Type: 'Task',
    Agent: 'a',
    Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 3_600, MaxAttempts: 2 }],
    End: true,
  };
  const { host } = await stageWith(
    { StartAt: 'A', TimeoutSeconds: 9_000, States: { A: state } },
    {
      clock: manualClock({ startAt: 0 }),
      ports: { runAgent: () => Promise.reject(new Error('no network')) },
    },
  );
  await host.start('flow', { id: 'w' });
  await until(waitsFor(host, 'retry'), 'the retry');
  const { waits, timeoutAt } = await host.get('w');
  expect(waits).toMatchObject([
    {
      for: 'retry',
      at: 3_600_000,
      attempt: 1,
      error: 'States.TaskFailed',
      cause: 'no network',
      path: [{ state: 'A' }],
    },
  ]);
  expect(timeoutAt).toBe(9_000_000);
});

test('redacted data are not shown', async () => {
  const { host } = await stageWith(
    {
      StartAt: 'A',
      States: {
        A: { Type: 'Task', Agent: 'a', Audit: { Redact: ['$.card'] }, End: true },
      },
    },
    { ports: { runAgent: ({ input }) => ({ result: input }) } },
  );
  await host.start('flow', { id: 'w', input: { input: { card: '4111', id: 7 } } });
  await until(ended(host), 'the end');
  const { input, output } = await host.get('w');
  const shown = { card: '[REDACTED]', id: 7 };
  expect([input, output]).toEqual([shown, shown]);
});

test('an agent and the child that a call has started are named', async () => {
  const { host } = await stageWith(
    { StartAt: 'A', States: { A: { Type: 'Task', Agent: 'Ask', HeartbeatSeconds: 9, End: true } } },
    { clock: manualClock({ startAt: 5 }), ports: { runAgent: () => new Promise(() => {}) } },
  );
  await host.start('flow', { id: 'w' });
  await until(waitsFor(host, 'call'), 'the call');
  expect((await host.get('w')).waits).toEqual([
    {
      for: 'call',
      source: 'flow',
      port: 'runAgent',
      name: 'Ask',
      key: 'w/workflow/1/0/work',
      heartbeatToken: expect.any(String),
      path: [{ state: 'A' }],
      position: { line: 4, column: 10 },
      since: 5,
      heartbeatAt: 9_005,
    },
  ]);
});

test('a paused workflow shows where it is, its tokens, and how it goes on', async () => {
  const { host } = await stageWith(
    { StartAt: 'A', States: { A: { Type: 'Task', Resource: token, End: true } } },
    { clock: manualClock({ startAt: 0 }), ports: { runAgent: () => ({ result: null }) } },
  );
  await host.start('flow', { id: 'w' });
  await until(waitsFor(host, 'token'), 'the token');
  await host.pause('w');
  const { states, waits } = await host.get('w');
  expect(states.map(steps)).toEqual(['A']);
  expect(waits).toMatchObject([
    { for: 'token', path: [{ state: 'A' }] },
    { for: 'event', source: 'lifecycle', events: ['resume', 'cancel'] },
  ]);
  await host.cancel('w', 'lost');
  expect((await host.get('w')).failure).toEqual({ error: null, cause: 'cancelled: lost' });
});

const fixture = (path: string) =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

const conversations = {
  plan: [fixture('packages/formats/plan/test/fixtures/ending/ending.plan.json'), 'Ask/Score'],
  npc: [
    fixture('packages/formats/npc/test/fixtures/lighthouse/lighthouse.npc.json'),
    'Maren/Shelter for the night/At the door',
  ],
  'context-graph': [
    fixture('packages/formats/context-graph/test/fixtures/keyed/keyed.context-graph.yaml'),
    'engage_client',
  ],
} as const;

test.for(Object.keys(conversations) as (keyof typeof conversations)[])(
  'a conversation (%s) shows its state and waits for a message; a failed turn shows its error',
  async (format) => {
    const [definition, state] = conversations[format];
    let fails = false;
    const ports = Object.fromEntries(
      Object.entries(understudyPorts()).map(([name, port]) => [
        name,
        (...call: Parameters<typeof port>) => {
          if (fails) throw new Error('The model is offline.');
          return (port as (...given: typeof call) => unknown)(...call);
        },
      ]),
    ) as Partial<Ports>;
    const clock = manualClock({ startAt: 0 });
    const { host } = await stageWith(definition, { clock, ports, repeats: false });
    await host.start('flow', { id: 'w', contact: 'ada', channel: 'console' });
    await until(waitsFor(host, 'message'), 'the first question');
    const before = await host.get('w');
    expect(before.states.map(steps)).toContainEqual(state);
    expect(before.failure).toBeUndefined();
    fails = true;
    await host.receive({ contact: 'ada', text: 'Nine' });
    await until(async () => (await host.get('w')).failure !== undefined, 'the failure');
    expect((await host.get('w')).failure).toMatchObject({
      error: 'port/failed',
      cause: expect.stringContaining('The model is offline.'),
    });
  },
);

test('a lifecycle shows its input and the events that it accepts', async () => {
  const { host } = await stageWith(fixture('docs/examples/parcel.lifecycle.json'), {
    clock: manualClock({ startAt: 0 }),
  });
  await host.start('flow', { id: 'w' });
  const { states, waits } = await host.get('w');
  expect(states.map(steps)).toEqual(['ORDERED']);
  expect(waits.find((wait) => wait.for === 'event')).toMatchObject({
    source: 'lifecycle',
    events: ['pack', 'cancel'],
  });
});
