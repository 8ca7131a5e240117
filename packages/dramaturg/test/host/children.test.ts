import { InstanceHistory, manualClock } from '@dramaturg/host';
import { describe, expect, test } from 'vitest';
import {
  type Channel,
  compile,
  type HostOptions,
  type JsonObject,
  understudyPorts,
} from '../../src/index.ts';
import { formats } from '../../src/editor.ts';
import { agents, places, Stage } from './stage.ts';

/** Definitions that run as agents of others. */

const behaviours = new Map(formats.map(({ name, behaviour }) => [name, behaviour]));

const chain = (states: Readonly<Record<string, JsonObject>>) => {
  const names = Object.keys(states);
  const lead = (index: number) =>
    index === names.length - 1 ? { End: true } : { Next: names[index + 1]! };
  return {
    StartAt: names[0]!,
    States: Object.fromEntries(
      names.map((name, index) => [name, { ...lead(index), ...states[name] }]),
    ),
  };
};

const workflows: Readonly<Record<string, JsonObject>> = {
  /** Two items and a branch, each with a workflow of its own. */
  outer: chain({
    All: {
      Type: 'Parallel',
      ResultPath: '$.all',
      Branches: [
        chain({
          Each: {
            Type: 'Map',
            ItemsPath: '$.items',
            MaxConcurrency: 0,
            Iterator: chain({
              Item: { Type: 'Workflow', WorkflowId: 'inner', Input: { 'name.$': '$' } },
            }),
          },
        }),
        chain({ One: { Type: 'Task', Agent: 'workflow:inner', Parameters: { name: 'one' } } }),
      ],
    },
    After: { Type: 'Task', Agent: 'After', ResultPath: '$.after' },
  }),
  inner: chain({
    Work: { Type: 'Task', Agent: 'Work', ResultPath: '$.worked' },
    Ask: { Type: 'Approval', Prompt: 'Take {{$.name}}?', ResultPath: '$.r' },
    Again: { Type: 'Task', Agent: 'Work', ResultPath: '$.again' },
  }),
  guarded: chain({
    Call: {
      Type: 'Workflow',
      WorkflowId: 'failing',
      Catch: [{ ErrorEquals: ['Broken'], Next: 'Caught', ResultPath: '$.error' }],
    },
    Caught: { Type: 'Pass' },
  }),
  failing: chain({ F: { Type: 'Fail', Error: 'Broken', Cause: 'on purpose' } }),
  patient: chain({
    Call: { Type: 'Workflow', WorkflowId: 'inner', Timeout: '1h' },
  }),
  circle: chain({ Round: { Type: 'Workflow', WorkflowId: 'circle' } }),
  /** Five calls, unless a budget ends it. */
  busy: chain(
    Object.fromEntries(
      ['A', 'B', 'C', 'D', 'E'].map((name) => [name, { Type: 'Task', Agent: 'Spender' }]),
    ),
  ),
  between: chain({ Call: { Type: 'Workflow', WorkflowId: 'busy' } }),
  ...Object.fromEntries(
    ['busy', 'between'].map((name) => [
      `paying ${name}`,
      {
        Budget: { MaxTokens: 1_000 },
        ...chain({
          Call: {
            Type: 'Workflow',
            WorkflowId: name,
            Catch: [
              { ErrorEquals: ['States.BudgetExceeded'], Next: 'Caught', ResultPath: '$.error' },
            ],
          },
          Caught: { Type: 'Pass' },
        }),
      },
    ]),
  ),
  'paying desk': {
    Budget: { MaxTokens: 1_000 },
    ...chain({ Talk: { Type: 'Task', Agent: 'plan:intake', ResultPath: '$.said' } }),
  },
  'state that pays': chain({
    Talk: { Type: 'Task', Agent: 'workflow:busy', Budget: { MaxTokens: 500 } },
  }),
  desk: chain({ Talk: { Type: 'Task', Agent: 'plan:intake', ResultPath: '$.said' } }),
  relay: chain({
    Work: { Type: 'Task', Agent: 'Work' },
    Talk: { Type: 'Task', Agent: 'plan:intake' },
  }),
};
delete (workflows['failing'] as { States: { F: { End?: boolean } } }).States.F.End;

const intake = compile(
  JSON.stringify({
    id: 'intake',
    title: 'Intake',
    states: [
      {
        id: 'hello',
        title: 'Hello',
        tasks: [
          {
            id: 'ask',
            description: 'Ask',
            deliverables: [{ key: 'name', type: 'string', description: 'What is your name?' }],
          },
        ],
      },
    ],
  }),
);

const definitions = {
  ...Object.fromEntries(
    Object.entries(workflows).map(([name, definition]) => [
      name,
      compile(JSON.stringify(definition), { format: 'asl', options: { dialect: 'agent' } }),
    ]),
  ),
  intake,
};

describe.each(Object.keys(places))('on %s', (kind) => {
  const stageWith = (more: Partial<HostOptions>) =>
    Stage.open({ store: places[kind]!(), definitions, ...more });
  const hasEnded = (stage: Stage, id: string) =>
    stage.until(async () => (await stage.host.get(id)).ended, `the end of ${id}`);

  test('children are instances, and their decisions are listed with those of the parent', async () => {
    const { keys, ports } = agents();
    const stage = await stageWith({ ports });
    await stage.host.start('outer', { id: 'o', input: { input: { items: ['a', 'b'] } } });
    const open = async () => (await stage.host.decisions({ instance: 'o' })).items;
    await stage.until(async () => (await open()).length === 3, 'three questions');
    await stage.restart();
    expect((await open()).map(({ prompt }) => prompt).toSorted()).toEqual([
      'Take a?',
      'Take b?',
      'Take one?',
    ]);
    const children = (await stage.host.list({ parent: 'o' })).items;
    expect(children).toHaveLength(3);
    expect((await stage.host.get('o')).children.toSorted()).toEqual(
      children.map(({ id }) => id).toSorted(),
    );
    for (const { decision } of await open()) {
      await stage.host.decide(decision, { decision: 'approve', by: 'ana' });
      await stage.restart();
    }
    await hasEnded(stage, 'o');
    expect(await stage.output('o')).toMatchObject({
      all: [[{ name: 'a' }, { name: 'b' }], { name: 'one', r: { approver: 'ana' } }],
      after: 'After',
    });
    // Two calls in each of three children, and one of the parent, each with its own key.
    expect(new Set(keys).size).toBe(7);
    expect((await stage.host.get('o')).children).toEqual([]);
  });

  test('a subscription to a parent can include the events of its children', async () => {
    const { ports } = agents();
    const stage = await stageWith({ ports });
    const stream = stage.host.events({
      instance: 'p',
      descendants: true,
      types: ['state.entered'],
    });
    await stage.host.start('patient', { id: 'p' });
    const instances = new Set<string>();
    for await (const { instance, within = [] } of stream) {
      instances.add(instance);
      if (within[0] === 'p') break;
    }
    expect(instances.size).toBe(2);
  });

  test('a child starts without the channel of its parent, and writes once a host has it', async () => {
    const delivered: string[] = [];
    const sms: Channel = { deliver: ({ text }) => void delivered.push(text) };
    const channels: Record<string, Channel> = { sms };
    let isThere = false;
    const stage = await stageWith({
      channels,
      ports: {
        ...understudyPorts(),
        runAgent: () => (isThere ? { result: 'worked' } : new Promise(() => {})),
      },
      onError: () => {},
    });
    await stage.host.start('relay', { id: 'r', contact: 'ada', channel: 'sms' });
    isThere = true;
    delete channels['sms'];
    await stage.restart();
    const children = async () => (await stage.host.list({ parent: 'r' })).items;
    await stage.until(async () => (await children()).length === 1, 'a child');
    await stage.host.settle();
    expect(await stage.host.get('r')).toMatchObject({ ended: false });
    channels['sms'] = sms;
    await stage.restart();
    await stage.until(() => delivered.length > 0, 'what the child says');
  });

  test('a failed child fails the call with its own error, which can be caught', async () => {
    const stage = await stageWith({ ports: agents().ports });
    await stage.host.start('guarded', { id: 'g' });
    await hasEnded(stage, 'g');
    expect(await stage.output('g')).toEqual({
      error: { Error: 'Broken', Cause: 'on purpose' },
    });
  });

  test('a parent that is cancelled or stops waiting cancels its children', async () => {
    const clock = manualClock({ startAt: 1_000 });
    const stage = await stageWith({ ports: agents().ports, clock });
    const children = async (id: string) =>
      (await stage.host.list({ parent: id })).items.map(({ state }) => state);
    for (const id of ['cancelled', 'late']) await stage.host.start('patient', { id });
    await stage.until(
      async () => (await stage.host.decisions()).items.length === 2,
      'both questions',
    );
    await stage.host.cancel('cancelled');
    await stage.until(
      async () => (await children('cancelled')).join() === 'FAILED',
      'the end of the child',
    );
    await stage.host.stop({ within: 0 });
    clock.set(clock.now() + 3_700_000);
    await stage.open();
    await hasEnded(stage, 'late');
    expect(await stage.ended('late')).toMatchObject({ error: 'States.Timeout' });
    await stage.until(
      async () => (await children('late')).join() === 'FAILED',
      'the end of the other child',
    );
    expect((await stage.host.decisions()).items).toEqual([]);
  });

  test('a cancelled child fails the call', async () => {
    const stage = await stageWith({ ports: agents().ports });
    await stage.host.start('patient', { id: 'p' });
    await stage.until(async () => (await stage.host.decisions()).items.length === 1, 'a question');
    const [child] = (await stage.host.get('p')).children;
    await stage.host.cancel(child!, 'Not needed any more.');
    await hasEnded(stage, 'p');
    expect(await stage.ended('p')).toMatchObject({
      error: 'States.TaskFailed',
      cause: `"${child}" ended in FAILED: cancelled. Not needed any more.`,
    });
  });

  test('a child that ends during a pause of its parent answers when the parent resumes', async () => {
    const { keys, ports } = agents();
    const stage = await stageWith({ ports });
    await stage.host.start('patient', { id: 'p', input: { input: { name: 'x' } } });
    await stage.until(async () => (await stage.host.decisions()).items.length === 1, 'a question');
    await stage.host.pause('p');
    const [{ decision } = { decision: '' }] = (await stage.host.decisions()).items;
    await stage.host.decide(decision, { decision: 'approve' });
    const [child] = (await stage.host.get('p')).children;
    await hasEnded(stage, child!);
    await stage.restart();
    expect((await stage.host.get('p')).ended).toBe(false);
    await stage.host.resume('p');
    await hasEnded(stage, 'p');
    expect(await stage.output('p')).toMatchObject({ name: 'x', r: { approval: 'approve' } });
    expect(keys).toHaveLength(2);
  });

  test('a definition that calls itself is stopped', async () => {
    const stage = await stageWith({ ports: agents().ports });
    await stage.host.start('circle', { id: 'c' });
    await hasEnded(stage, 'c');
    expect(await stage.ended('c')).toMatchObject({ error: 'States.NestingLimitExceeded' });
    expect((await stage.host.list({})).items.every(({ ended }) => ended)).toBe(true);
    expect((await stage.host.list({})).items.length).toBe(17);
  });

  test('a plan as an agent talks with the contact of its parent', async () => {
    const said: string[] = [];
    const stage = await stageWith({
      ports: {
        ...agents().ports,
        reply: ({ message }) =>
          message === undefined
            ? { text: 'What is your name?' }
            : {
                text: 'Thank you.',
                toolCalls: [{ name: 'submit_deliverables', arguments: { name: message } }],
              },
        extract: () => ({ value: { deliverables: { name: 'Maria' } } }),
      },
      channels: { main: { deliver: ({ contact, text }) => void said.push(`${contact}: ${text}`) } },
    });
    await stage.host.start('desk', { id: 'd', contact: 'maria' });
    await stage.until(() => said.length === 1, 'the question');
    const [child] = (await stage.host.get('d')).children;
    expect(await stage.host.get(child!)).toMatchObject({ parent: 'd', contact: 'maria' });
    expect(await stage.host.receive({ contact: 'maria', text: 'Maria' })).toMatchObject({
      instance: child,
      accepted: true,
    });
    await hasEnded(stage, 'd');
    expect(await stage.output('d')).toMatchObject({
      said: { outcome: 'completed', deliverables: { name: 'Maria' } },
    });
  });

  test('a plan that an update ends answers its parent', async () => {
    const said: string[] = [];
    const stage = await stageWith({
      ports: { ...agents().ports, reply: () => ({ text: 'What is your name?' }) },
      channels: { main: { deliver: ({ text }) => void said.push(text) } },
    });
    await stage.host.start('desk', { id: 'd', contact: 'maria' });
    await stage.until(() => said.length === 1, 'the question');
    const [child] = (await stage.host.get('d')).children;
    await stage.host.send(child!, { type: 'plan.update', deliverables: { name: 'Maria' } });
    await hasEnded(stage, 'd');
    expect(await stage.output('d')).toMatchObject({
      said: { outcome: 'completed', deliverables: { name: 'Maria' } },
    });
  });

  test('a plan that its agent ends answers with its data so far and the reason', async () => {
    const said: string[] = [];
    const stage = await stageWith({
      ports: {
        ...agents().ports,
        reply: ({ message }) =>
          message === undefined
            ? { text: 'What is your name?' }
            : {
                text: 'Goodbye.',
                toolCalls: [{ name: 'end_conversation', arguments: { reason: 'no interest' } }],
              },
        extract: () => ({ value: {} }),
      },
      channels: { main: { deliver: ({ text }) => void said.push(text) } },
    });
    await stage.host.start('desk', { id: 'd', contact: 'maria' });
    await stage.until(() => said.length === 1, 'the question');
    await stage.restart();
    await stage.host.receive({ contact: 'maria', text: 'Leave me alone.' });
    await hasEnded(stage, 'd');
    expect(await stage.output('d')).toMatchObject({
      said: { outcome: 'ended_by_agent', deliverables: {}, reason: 'no interest' },
    });
    await stage.until(() => said.length === 2, 'the farewell');
    expect(said).toEqual(['What is your name?', 'Goodbye.']);
  });

  /** Each call of a `Spender` uses 400 tokens, reported by its port or by itself. */
  const spenders = {
    counted: () => ({ result: {}, usage: { outputTokens: 400, cost: 0.1 } }),
    'of their own word': () => ({ result: { _tokens: 400, _cost: 0.1 } }),
    'that estimate': () => ({ result: { _tokens: 399.6, _cost: 0.1 } }),
  };
  describe.each(Object.keys(spenders) as (keyof typeof spenders)[])('agents %s', (way) => {
    test.each(['busy', 'between'])('an exceeded budget ends a child: %s', async (below) => {
      let calls = 0;
      const runAgent = () => {
        calls += 1;
        return spenders[way]();
      };
      const stage = await stageWith({ ports: { runAgent } });
      await stage.host.start(`paying ${below}`, { id: 'p' });
      await hasEnded(stage, 'p');
      expect(calls).toBe(3);
      expect(await stage.ended('p')).toMatchObject({
        output: {
          error: {
            Error: 'States.BudgetExceeded',
            Cause: 'The budget is used up: 1200 of 1000 tokens.',
          },
        },
        costs: { total: { tokens: 1_200, cost: expect.closeTo(0.3) } },
      });
      const { items } = await stage.host.list({});
      expect(items.map(({ ended }) => ended)).toEqual(items.map(() => true));
      for (const { id } of items)
        expect((await stage.host.get(id)).used).toMatchObject({ outputTokens: 1_200 });
      const busy = items.find(({ definition }) => definition.name === 'busy')!;
      expect((await stage.host.get(busy.id)).lifecycle).toMatchObject({
        cancel_reason: expect.stringContaining(
          'had 1,000 tokens of its budget left for this child, which has used 1,200.',
        ),
      });
    });
  });

  test('a state with its own budget ends its children and fails with the same error', async () => {
    const stage = await stageWith({ ports: { runAgent: spenders.counted } });
    await stage.host.start('state that pays', { id: 'p' });
    await hasEnded(stage, 'p');
    expect(await stage.ended('p')).toMatchObject({
      error: 'States.BudgetExceeded',
      cause: 'The state "Talk" has used 800 of 500 tokens.',
    });
  });

  test('a conversation uses the remaining budget too, and its steps can be repeated', async () => {
    const said: string[] = [];
    const stage = await stageWith({
      ports: {
        reply: ({ message }) => ({ text: `Said: ${message}`, usage: { outputTokens: 600 } }),
        extract: () => ({ value: { deliverables: {} } }),
      },
      channels: { main: { deliver: ({ text }) => void said.push(text) } },
    });
    await stage.host.start('paying desk', { id: 'd', contact: 'maria' });
    await stage.until(() => said.length === 1, 'the first line');
    await stage.host.receive({ contact: 'maria', text: 'One' });
    await stage.until(() => said.length === 2, 'the second line');
    await stage.host.receive({ contact: 'maria', text: 'Two' });
    await hasEnded(stage, 'd');
    expect(said).toHaveLength(2);
    expect(await stage.ended('d')).toMatchObject({
      error: 'States.BudgetExceeded',
      cause: 'The budget is used up: 1200 of 1000 tokens.',
      costs: { total: { tokens: 1_200 } },
    });
    const [child] = (await stage.host.list({ parent: 'd' })).items;
    for (const id of ['d', child!.id]) {
      const charts = await stage.host.charts(id);
      const past = new InstanceHistory({ id, charts, behaviours });
      await past.take(await stage.host.journal(id, { from: 0, limit: 1_000 }));
      expect(past.departures).toEqual([]);
      expect(past.view()).toMatchObject({ ended: true });
    }
  });
});
