import { isRecord, type Json } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import { InstanceHistory } from '@dramaturg/host';
import { until } from '@dramaturg/testing';
import {
  compile,
  type Compiled,
  createHost,
  type Host,
  memoryStore,
  type Ports,
  understudyPorts,
} from 'dramaturg';
import { formats } from 'dramaturg/editor';
import { virtualClock } from 'dramaturg/testing';
import { expect, onTestFinished, test } from 'vitest';

const behaviours: ReadonlyMap<string, Behaviour> = new Map(
  formats.map(({ name, behaviour }) => [name, behaviour]),
);

const i = 'i';

const whole = { from: 0, limit: 10_000 };

async function hosting(
  definition: Compiled,
  ports: Partial<Ports>,
  said: { readonly contact: string | null; readonly text: string }[] = [],
): Promise<Host> {
  const host = await createHost({
    store: memoryStore(),
    definitions: { it: definition },
    ports: { ...understudyPorts(), ...ports },
    channels: { main: { deliver: (message) => void said.push(message) } },
    // On a virtual clock the reminders of conversations would fire at once.
    ...(definition === workflow ? { clock: virtualClock({ startAt: 0 }) } : {}),
  });
  onTestFinished(() => host.stop({ within: 0 }));
  return host;
}

async function after(
  host: Host,
  id: string,
  upTo?: number,
  onLine: (line: Json) => void = () => {},
): Promise<InstanceHistory> {
  const history = new InstanceHistory({
    id,
    charts: await host.charts(id),
    behaviours,
    onLines: ({ journal }) => journal.forEach(onLine),
  });
  await history.take(await host.journal(id, whole), upTo);
  return history;
}

const workflow = compile(
  JSON.stringify({
    StartAt: 'Name',
    States: {
      Name: {
        Type: 'Pass',
        Parameters: { 'name.$': 'States.UUID()' },
        ResultPath: '$.made',
        Next: 'Try',
      },
      Try: {
        Type: 'Task',
        Resource: 'flaky',
        ResultPath: '$.tried',
        Retry: [
          { ErrorEquals: ['Busy'], IntervalSeconds: 3, MaxAttempts: 3, JitterStrategy: 'FULL' },
        ],
        Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Each' }],
        Next: 'Each',
      },
      Each: {
        Type: 'Map',
        ItemsPath: '$.items',
        ItemProcessor: {
          StartAt: 'Wait',
          States: {
            Wait: { Type: 'Wait', Seconds: 2, Next: 'Mark' },
            Mark: {
              Type: 'Pass',
              Parameters: { 'id.$': 'States.UUID()', 'chance.$': 'States.MathRandom(1, 1000)' },
              Next: 'Do',
            },
            Do: { Type: 'Task', Resource: 'echo', End: true },
          },
        },
        End: true,
      },
    },
  }),
  { fileName: 'work.asl.json' },
);

test('repeating a workflow with the recorded times, random values, failures and items gives the same result', async () => {
  const busy = () => Object.assign(new Error('Come back later.'), { name: 'Busy', error: 'Busy' });
  const left = new Map<string, number>();
  const host = await hosting(workflow, {
    runAgent: async ({ agent, input, key }) => {
      if (agent === 'echo') return { result: input };
      const [whose = ''] = key.split('/');
      const count = left.get(whose) ?? 0;
      left.set(whose, count + 1);
      if (count < 2) throw busy();
      throw Object.assign(new Error('It is broken.'), { error: 'Broken' });
    },
  });
  const ids = ['one', 'two', 'three'];
  for (const id of ids) await host.start('it', { id, input: { input: { items: [1, 2, 3] } } });
  await until(
    async () => (await Promise.all(ids.map((id) => host.get(id)))).every(({ ended }) => ended),
    'the end',
  );
  for (const id of ids) {
    const repeated: Json[] = [];
    const history = await after(host, id, Infinity, (line) => repeated.push(line));
    expect(history.departures).toEqual([]);
    expect(history.steps).toBeGreaterThan(8);
    const { state, ended, lifecycle, flow } = await host.get(id);
    expect(history.view()).toMatchObject({ state, ended, lifecycle, flow });
    const journal = await host.journal(id, whole);
    expect(repeated.at(-1)).toEqual(journal.at(-1));
    expect(JSON.stringify(journal)).toContain('"drawn"');
  }
});

const intake = compile(
  JSON.stringify({
    id: 'intake',
    starting_state: 'names',
    states: [
      {
        id: 'names',
        tasks: [
          {
            id: 'ask',
            deliverables: [
              { key: 'first_name', description: 'First name', type: 'string', required: true },
              { key: 'city', description: 'City', type: 'string', required: true },
            ],
          },
        ],
      },
    ],
  }),
  { fileName: 'intake.plan.json' },
);

test('an instance can be reconstructed after any step without changing its record', async () => {
  const host = await hosting(intake, {});
  await host.start('it', { id: i, contact: 'ada' });
  await host.settle();
  for (const text of ['Ada', 'Vienna']) {
    await host.receive({ contact: 'ada', text });
    await host.settle();
  }
  const before = await host.journal(i, whole);
  const { steps } = await after(host, i);
  const states: (readonly [string, number])[] = [];
  for (let step = 1; step <= steps; step += 1) {
    const history = await after(host, i, step);
    const { context } = history.state.flow as unknown as { context: { deliverables: object } };
    states.push([history.view().state, Object.keys(context.deliverables).length]);
  }
  expect(states[0]).toEqual(['ACTIVE', 0]);
  expect(states.at(-1)).toEqual(['COMPLETED', 2]);
  expect(new Set(states.map(([, count]) => count))).toEqual(new Set([0, 1, 2]));
  expect(await host.journal(i, whole)).toEqual(before);
});

test('a fork continues after its step with its own keys and without a contact', async () => {
  const said: { readonly contact: string | null; readonly text: string }[] = [];
  const keys: string[] = [];
  const understudy = understudyPorts();
  const host = await hosting(
    intake,
    {
      reply: (question, call) => {
        keys.push(question.key);
        return understudy.reply(question, call);
      },
    },
    said,
  );
  await host.start('it', { id: i, contact: 'ada' });
  await host.settle();
  await host.receive({ contact: 'ada', text: 'Ada' });
  await host.settle();
  const atCity = (await after(host, i)).steps;
  await host.receive({ contact: 'ada', text: 'Vienna' });
  await host.settle();
  expect(await host.get(i)).toMatchObject({ state: 'COMPLETED' });
  const [record, messageCount, callCount] = [
    await host.journal(i, whole),
    said.length,
    keys.length,
  ];

  expect(await host.fork(i, { step: atCity, id: 'f' })).toMatchObject({
    id: 'f',
    state: 'WAITING_FOR_REPLY',
  });
  await host.send('f', { type: 'message.received', text: 'Graz' });
  await host.settle();
  const fork = await host.get('f');
  expect(fork).toMatchObject({ state: 'COMPLETED', address: null, holdsContact: false });
  expect(said).toHaveLength(messageCount);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.slice(callCount).every((key) => key.startsWith('f/'))).toBe(true);
  const journal = await host.journal('f', whole);
  expect(JSON.stringify(journal)).toContain('"value":"Graz"');
  expect(journal).toContainEqual(
    expect.objectContaining({ event: { type: 'instance.forked', from: i, step: atCity } }),
  );
  expect((await host.transcript('f', whole)).map(({ text }) => text)).toContain('Ada');
  expect(await host.journal(i, whole)).toEqual(record);
  // The later steps of the fork can be reconstructed, too.
  expect((await after(host, 'f')).departures).toEqual([]);
  await host.fork('f', { step: atCity, id: 'g' });
});

test('a fork makes the open calls and does not repeat the answered ones', async () => {
  const calls: string[] = [];
  const host = await hosting(workflow, {
    runAgent: async ({ agent, input, key }) => {
      calls.push(key);
      return { result: agent === 'echo' ? input : 'fine' };
    },
  });
  await host.start('it', { id: 'w', input: { input: { items: [1] } } });
  await until(async () => (await host.get('w')).ended, 'the end');
  const before = calls.length;
  const { steps } = await after(host, 'w');
  await host.fork('w', { step: 1, id: 'again' });
  await until(async () => (await host.get('again')).ended, 'the end of the fork');
  expect(calls).toHaveLength(2 * before);
  expect(new Set(calls).size).toBe(calls.length);
  await host.fork('w', { step: steps - 1, id: 'last' });
  await until(async () => (await host.get('last')).ended, 'the end of the last');
  expect(calls).toHaveLength(2 * before + 1);
  await expect(host.fork('w', { step: steps, id: 'x' })).rejects.toThrow('had ended by then');
  await expect(host.fork('w', { step: 999, id: 'x' })).rejects.toThrow(
    `it has taken ${steps} steps`,
  );
});

/** Asks twice, the second time in a child workflow. */
const asking = (states: object) => compile(JSON.stringify({ StartAt: 'One', States: states }));
const inner = asking({ One: { Type: 'Approval', Prompt: 'Sure?', End: true } });
const outer = asking({
  One: { Type: 'Approval', Prompt: 'Go on?', Next: 'Two' },
  Two: { Type: 'Approval', Prompt: 'Really?', Next: 'Run' },
  Run: { Type: 'Workflow', WorkflowId: 'inner', End: true },
});

async function askingHost(): Promise<Host> {
  const definitions = { outer, inner };
  const host = await createHost({ store: memoryStore(), definitions, ports: {} });
  onTestFinished(() => host.stop({ within: 0 }));
  await host.start('outer', { id: 'o', input: { input: {} } });
  return host;
}

async function openIn(host: Host, instance: string): Promise<string> {
  const find = async () => (await host.decisions({ instance }, { limit: 10 })).items[0];
  await until(async () => (await find()) !== undefined, `a question of ${instance}`);
  return (await find())!.decision;
}

test('a fork repeats the decisions of people and asks for the others itself', async () => {
  const host = await askingHost();
  const first = await openIn(host, 'o');
  expect(await host.decide(first, { decision: 'approve', by: 'ada' })).toMatchObject({
    accepted: true,
  });
  const { steps, departures } = await after(host, 'o');
  expect(departures).toEqual([]);

  await host.fork('o', { step: steps, id: 'f' });
  const second = await openIn(host, 'f');
  expect(second).toMatch(/^f\//);
  expect(await host.decide(second, { decision: 'reject', by: 'bob' })).toMatchObject({
    accepted: true,
  });
  expect((await openIn(host, 'o')).replace('o/', '')).not.toBe(first.replace('o/', ''));
  expect((await after(host, 'o')).steps).toBe(steps);
});

test('a fork cannot start from a step while a child runs, only before and after', async () => {
  const host = await askingHost();
  const before = (await after(host, 'o')).steps;
  await host.decide(await openIn(host, 'o'), { decision: 'approve' });
  await host.decide(await openIn(host, 'o'), { decision: 'approve' });
  const { steps } = await after(host, 'o');
  await expect(host.fork('o', { step: steps, id: 'x' })).rejects.toThrow(
    'it waits there for "workflow:inner", which runs as its child',
  );
  const child = (await host.list({ parent: 'o' })).items[0]!.id;
  await host.decide(await openIn(host, child), { decision: 'approve' });
  await until(async () => (await host.get('o')).ended, 'the end');
  await host.fork('o', { step: before, id: 'y' });
  expect(await openIn(host, 'y')).toMatch(/^y\//);
  expect((await after(host, 'o')).departures).toEqual([]);
});

test('a journal of an earlier release is refused with the reason', async () => {
  const host = await hosting(intake, {});
  await host.start('it', { id: i, contact: 'ada' });
  await host.settle();
  const lines = (await host.journal(i, whole)).filter(
    (line) => !(isRecord(line) && line['source'] === 'step'),
  );
  const history = new InstanceHistory({ id: i, charts: await host.charts(i), behaviours });
  await expect(history.take(lines)).rejects.toThrow('an earlier release wrote it');
});

test('a journal of a release that did not record calls is repeated without a departure', async () => {
  const host = await hosting(intake, {});
  await host.start('it', { id: i, contact: 'ada' });
  await host.settle();
  await host.receive({ contact: 'ada', text: 'Ada' });
  await host.settle();
  const later = ['call.started', 'call.ended', 'turn.ended'];
  const lines = (await host.journal(i, whole)) as { event: { type: string } }[];
  const before = lines.filter(({ event }) => !later.includes(event.type));
  expect(lines.length - before.length).toBeGreaterThan(6);
  const history = new InstanceHistory({ id: i, charts: await host.charts(i), behaviours });
  await history.take(before);
  expect(history.departures).toEqual([]);
  expect(history.view()).toMatchObject({ state: 'WAITING_FOR_REPLY', ended: false });
});

test('a journal that differs from the repeated steps names the step', async () => {
  const host = await hosting(intake, {});
  await host.start('it', { id: i, contact: 'ada' });
  await host.settle();
  await host.receive({ contact: 'ada', text: 'Ada' });
  await host.settle();
  const lines = [...(await host.journal(i, whole))];
  const at = lines.findIndex((line) => JSON.stringify(line).includes('deliverable.collected'));
  const steps = lines
    .slice(0, at)
    .filter((line) => isRecord(line) && line['source'] === 'step').length;
  lines[at] = {
    ...(lines[at] as object),
    event: { type: 'deliverable.collected', value: 'Eve' },
  } as Json;
  const history = new InstanceHistory({ id: i, charts: await host.charts(i), behaviours });
  await history.take(lines);
  expect(history.departures[0]).toEqual({
    step: steps,
    because:
      '"deliverable.collected" of the flow was recorded, but the step now gives "deliverable.collected" of the flow.',
  });
});
