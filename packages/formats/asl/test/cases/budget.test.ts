import { type Json, type JsonObject, PortError } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { type Agent, chain, only, pass, run, task } from '../run.ts';

/** Section B.12: budgets of states and workflows. */

function withBudget(budget: JsonObject, workflow: JsonObject): JsonObject {
  return { ...workflow, Budget: budget };
}

const uses =
  (tokens: number, cost = 0): Agent =>
  () => ({ done: true, _tokens: tokens, _cost: cost });

const three = (): JsonObject => chain({ One: task(), Two: task(), Three: task() });

test('a state that exceeds its own budget fails with an error that can be caught', async () => {
  const workflow = chain({
    T: task({
      Budget: { MaxTokens: 100 },
      Catch: [{ ErrorEquals: ['States.BudgetExceeded'], Next: 'Caught' }],
      End: true,
    }),
    Caught: pass(),
  });
  const { output } = await run(workflow, { agents: { A: uses(101) } });
  expect(output).toMatchObject({
    status: 'succeeded',
    output: {
      error: { Error: 'States.BudgetExceeded', Cause: 'The state "T" has used 101 of 100 tokens.' },
    },
    usage: { tokens: 101 },
  });
});

test('all attempts of a state share its budget', async () => {
  const workflow = only(
    task({
      Budget: { MaxTokens: 100, MaxCost: '$1.00' },
      ResultSelector: { 'missing.$': '$.missing' },
      Retry: [{ ErrorEquals: ['States.ParameterPathFailure'], MaxAttempts: 5 }],
    }),
  );
  const { output, calls } = await run(workflow, { agents: { A: uses(60) } });
  expect(calls).toHaveLength(2);
  expect(output).toMatchObject({ error: 'States.BudgetExceeded' });
});

test('a workflow stops before a call that the budget does not allow, and after a call that exceeds it', async () => {
  const before = await run(withBudget({ MaxTokens: 20 }, three()), { agents: { A: uses(10) } });
  expect(before.calls).toHaveLength(2);
  expect(before.output).toMatchObject({
    status: 'failed',
    error: 'States.BudgetExceeded',
    cause: 'The budget is used up: 20 of 20 tokens.',
  });
  const after = await run(withBudget({ MaxCost: '$0.50' }, three()), {
    agents: { A: uses(0, 0.3) },
  });
  expect(after.calls).toHaveLength(2);
  expect(after.output).toMatchObject({ cause: 'The budget is used up: 0.60 of 0.50 USD.' });
});

test('usage that a port has counted counts, and is reported once', async () => {
  const { output, events } = await run(
    withBudget({ MaxTokens: 1000 }, only(task({ Budget: { Category: 'research' } }))),
    {
      ports: {
        runAgent: () => ({
          result: { _tokens: 7 },
          usage: { model: 'small', inputTokens: 30, outputTokens: 12, cost: 0.5 },
        }),
      },
    },
  );
  const used = { tokens: 42, cost: 0.5 };
  expect(output).toMatchObject({
    usage: used,
    costs: {
      total: used,
      byState: { S: used },
      byCategory: { research: used },
      byModel: { small: used },
    },
  });
  expect(events.filter(({ type }) => type === 'usage.recorded')).toMatchObject([
    { port: 'runAgent', model: 'small', inputTokens: 30, outputTokens: 12, cost: 0.5 },
  ]);
});

test('each alert is emitted once, with the message of the definition', async () => {
  const budget = {
    MaxTokens: 40,
    Alerts: [
      { At: '90%', Message: 'Nearly all' },
      { At: '50%', Notify: ['team@example.com'] },
    ],
  };
  const { events } = await run(withBudget(budget, three()), { agents: { A: uses(13) } });
  expect(events.filter(({ type }) => type === 'budget.alert')).toEqual([
    {
      type: 'budget.alert',
      state: 'Two',
      at: '50%',
      notify: ['team@example.com'],
      tokens: 26,
      cost: 0,
    },
    { type: 'budget.alert', state: 'Three', at: '90%', message: 'Nearly all', tokens: 39, cost: 0 },
  ]);
});

test('a cascade of fallbacks switches to cheaper models as the budget runs out', async () => {
  const budget = {
    MaxTokens: 100,
    OnExceed: 'UseFallback',
    Fallback: {
      Cascade: [
        { When: 'BudgetAt40Percent', UseModel: 'medium', Notify: ['team@example.com'] },
        { When: 'TokensAt80Percent', UseModel: 'small', Action: 'ReduceQuality' },
        { When: 'BudgetAt120Percent', Agent: 'B' },
      ],
    },
  };
  const workflow = withBudget(
    budget,
    chain({ One: task(), Two: task(), Three: task(), Four: task() }),
  );
  const { calls, output, events } = await run(workflow, { agents: { A: uses(45), B: uses(0) } });
  expect(calls.map(({ agent, model, quality }) => [agent, model, quality])).toEqual([
    ['A', undefined, undefined],
    ['A', 'medium', undefined],
    ['A', 'small', 'reduced'],
    ['B', undefined, undefined],
  ]);
  expect(output).toMatchObject({ status: 'succeeded' });
  const steps = events.filter(({ type }) => type === 'budget.fallback');
  expect(steps).toMatchObject([
    { state: 'Two', when: 'BudgetAt40Percent', model: 'medium', notify: ['team@example.com'] },
    { state: 'Three', when: 'TokensAt80Percent', action: 'ReduceQuality' },
    { state: 'Four', when: 'BudgetAt120Percent', agent: 'B', tokens: 135 },
  ]);
});

test('a step of the cascade is emitted once, however many calls it applies to', async () => {
  const budget = { MaxTokens: 100, Fallback: { When: 'BudgetAt10Percent', UseModel: 'small' } };
  const { events } = await run(withBudget(budget, three()), { agents: { A: uses(11) } });
  expect(events.filter(({ type }) => type === 'budget.fallback')).toHaveLength(1);
});

test('a person can grant the budget again, or stop the workflow', async () => {
  const workflow = withBudget({ MaxTokens: 10, OnExceed: 'PauseAndNotify' }, three());
  const prompts: string[] = [];
  const decisions = ['maybe', 'approve', 'reject'];
  const { output, calls, events } = await run(workflow, {
    agents: { A: uses(10) },
    decide: ({ prompt }) => {
      prompts.push(prompt);
      return { decision: decisions[prompts.length - 1]! };
    },
  });
  expect(prompts[2]).toBe(
    'The budget is used up before "Three": 20 of 20 tokens. May as much again be used?',
  );
  expect(calls).toHaveLength(2);
  expect(events.filter(({ type }) => type === 'decision.requested')).toHaveLength(3);
  expect(output).toMatchObject({ status: 'failed', error: 'States.BudgetExceeded' });
});

test('a fallback that always asks does so before each call, and names the state', async () => {
  const budget = { MaxTokens: 1000, Fallback: { When: 'Always', Action: 'PauseAndNotify' } };
  const prompts: string[] = [];
  const { output, calls } = await run(withBudget(budget, three()), {
    agents: { A: uses(10) },
    decide: ({ prompt }) => {
      prompts.push(prompt);
      return { decision: prompts.length < 3 ? 'approve' : 'reject' };
    },
  });
  expect(prompts).toEqual([
    'The budget asks before each call (0 of 1000 tokens). May "One" make one?',
    'The budget asks before each call (10 of 1000 tokens). May "Two" make one?',
    'The budget asks before each call (20 of 1000 tokens). May "Three" make one?',
  ]);
  expect(calls).toHaveLength(2);
  expect(output).toMatchObject({
    error: 'States.BudgetExceeded',
    cause: 'More may not be used: 20 of 1000 tokens.',
  });
});

test('a fallback that asks at a threshold grants the budget again, and continues after one approval', async () => {
  const budget = {
    MaxTokens: 100,
    Fallback: { When: 'TokensAt20Percent', Action: 'PauseAndNotify' },
  };
  const prompts: string[] = [];
  const { output, calls } = await run(withBudget(budget, three()), {
    agents: { A: uses(80) },
    decide: ({ prompt }) => {
      prompts.push(prompt);
      return { decision: 'approve' };
    },
  });
  expect(prompts).toEqual([
    'The budget has reached "TokensAt20Percent" before "Two": 80 of 100 tokens. May as much again be used?',
    'The budget has reached "TokensAt20Percent" before "Three": 160 of 200 tokens. May as much again be used?',
  ]);
  expect(calls).toHaveLength(3);
  expect(output).toMatchObject({ status: 'succeeded' });
});

test('a budget without enforcement emits once that it is used up', async () => {
  const workflow = withBudget({ MaxTokens: 10, OnExceed: 'Continue' }, three());
  const { output, events } = await run(workflow, { agents: { A: uses(10) } });
  expect(output).toMatchObject({ status: 'succeeded' });
  expect(events.filter(({ type }) => type === 'budget.exceeded')).toHaveLength(1);
});

test('a throttled workflow waits before each call', async () => {
  const budget = { MaxTokens: 10, OnExceed: 'Throttle', ThrottleDelay: '30s' };
  const { output, seconds } = await run(withBudget(budget, three()), { agents: { A: uses(10) } });
  expect(output).toMatchObject({ status: 'succeeded' });
  expect(seconds).toBe(60);
});

test('a budget can limit the time', async () => {
  const workflow = chain({ One: task(), W: { Type: 'Wait', Seconds: 120 }, Two: task() });
  const { output, calls } = await run(withBudget({ MaxDuration: '2m' }, workflow), {
    agents: { A: () => 1 },
  });
  expect(calls).toHaveLength(1);
  expect(output).toMatchObject({ error: 'States.BudgetExceeded' });
});

test('branches share the budget of their workflow while they run', async () => {
  const branch = (name: string) => chain({ [`${name}1`]: task(), [`${name}2`]: task() });
  const workflow = only({ Type: 'Parallel', Branches: [branch('A'), branch('B')] });
  const { calls, output } = await run(withBudget({ MaxTokens: 25 }, workflow), {
    agents: { A: uses(10) },
  });
  expect(calls).toHaveLength(4);
  expect(output).toMatchObject({ error: 'States.BudgetExceeded', usage: { tokens: 30 } });
});

function over(count: number, fields: JsonObject = {}): JsonObject {
  const items: Json = Array.from({ length: count }, (_, index) => index);
  return chain({
    Items: pass({ Result: { items } }),
    M: { Type: 'Map', ItemsPath: '$.items', Iterator: only(task()), ...fields },
  });
}

test('items share the budget exactly when they run one after another', async () => {
  const { calls, output } = await run(withBudget({ MaxTokens: 25 }, over(10)), {
    agents: { A: uses(10) },
  });
  expect(calls).toHaveLength(3);
  expect(output).toMatchObject({
    error: 'States.BudgetExceeded',
    usage: { tokens: 30 },
    costs: { byState: { S: { tokens: 30 } } },
  });
});

test('items at once exceed the budget by no more than the calls that were running', async () => {
  const workflow = withBudget({ MaxTokens: 25 }, over(100, { MaxConcurrency: 4 }));
  const { calls, output } = await run(workflow, { agents: { A: uses(10) } });
  expect(calls.length).toBeLessThanOrEqual(2 + 4);
  expect(output).toMatchObject({ error: 'States.BudgetExceeded' });
});

test('an alert is emitted once for items that run one after another', async () => {
  const budget = { MaxTokens: 100, Alerts: [{ At: '50%' }, { At: '70%' }] };
  const { events } = await run(withBudget(budget, over(8)), { agents: { A: uses(10) } });
  const alerts = events.filter(({ type }) => type === 'budget.alert');
  expect(alerts).toMatchObject([
    { at: '50%', place: [4], tokens: 50 },
    { at: '70%', place: [6] },
  ]);
});

test('an alert that only the sum of the items reaches is emitted when they are all done', async () => {
  const budget = { MaxTokens: 100, Alerts: [{ At: '50%' }] };
  const workflow = withBudget(budget, over(8, { MaxConcurrency: 8 }));
  const { events } = await run(workflow, { agents: { A: uses(10) } });
  expect(events.filter(({ type }) => type === 'budget.alert')).toEqual([
    { type: 'budget.alert', state: 'M', at: '50%', tokens: 80, cost: 0 },
  ]);
});

test('a debate pays for each of its turns', async () => {
  const debate = { Type: 'Debate', Agents: ['A', 'B'], Topic: 'tea', Rounds: 2 };
  const { calls, output } = await run(withBudget({ MaxTokens: 25 }, only(debate)), {
    agents: { A: uses(10), B: uses(10) },
  });
  expect(calls).toHaveLength(3);
  expect(output).toMatchObject({ error: 'States.BudgetExceeded', usage: { tokens: 30 } });
});

test('calls receive the remaining budget of the state and of the workflow', async () => {
  const workflow = withBudget(
    { MaxTokens: 100, MaxCost: '$1.00' },
    chain({
      One: task(),
      Two: task({ Budget: { MaxTokens: 40 } }),
      Three: { Type: 'Workflow', WorkflowId: 'other' },
      Four: { Type: 'Debate', Agents: ['A', 'B'], Rounds: 1, Topic: 'Which?' },
    }),
  );
  const agents = { A: uses(30, 0.25), B: uses(1), 'workflow:other': uses(20) };
  const { calls } = await run(workflow, { agents });
  expect(calls.map(({ agent, left }) => [agent, left])).toEqual([
    ['A', { tokens: 100, cost: 1 }],
    ['A', { tokens: 40, cost: 0.75 }],
    ['workflow:other', { tokens: 40, cost: 0.5 }],
    ['A', { tokens: 20, cost: 0.5 }],
  ]);
});

test('a workflow that continues when its budget is used up limits no call', async () => {
  const workflow = withBudget({ MaxTokens: 10, OnExceed: 'Continue' }, three());
  const { calls } = await run(workflow, { agents: { A: uses(10) } });
  expect(calls.map(({ left }) => left)).toEqual([undefined, undefined, undefined]);
});

const summarised: JsonObject = {
  Context: { Strategy: 'summarize', Summarize: { Using: 'Clerk', When: 'Always' } },
};

function judged(side: 'Input' | 'Output', rule: JsonObject = { Type: 'custom', Agent: 'Clerk' }) {
  return { Guardrails: { [side]: { Rules: [{ Type: 'length', Max: 1000 }, rule] } } };
}

test.for([
  ['summary', ['A'], summarised],
  ['judgement of the input', ['A'], judged('Input')],
  ['judgement of the output', ['A', 'A'], judged('Output')],
  ['judgement by a model', ['A'], judged('Input', { Type: 'semantic', Check: 'It is kind.' })],
] as const)('no %s is asked for when nothing is left', async ([, asked, block]) => {
  const budget = { MaxTokens: 50 * asked.length };
  const workflow = withBudget(budget, chain({ One: task(), Two: task({ ...block }) }));
  const { calls, output } = await run(workflow, {
    agents: { A: uses(50), Clerk: () => ({ valid: true, _tokens: 1000 }) },
    ports: {
      choose: () => ({
        option: 'holds',
        usage: { requests: 1, inputTokens: 1000, outputTokens: 0 },
      }),
    },
  });
  expect(calls.map(({ agent }) => agent)).toEqual(asked);
  expect(output).toMatchObject({
    error: 'States.BudgetExceeded',
    cause: `The budget is used up: ${budget.MaxTokens} of ${budget.MaxTokens} tokens.`,
  });
});

test('calls of summaries and judges receive the remaining budget, and wait when it runs out', async () => {
  const block = { ...summarised, ...judged('Output') };
  const agents = { A: uses(30), B: uses(1), Clerk: () => ({ valid: true, _tokens: 20 }) };
  const named = (calls: readonly object[]) =>
    calls.map((call) => {
      const { agent, left, model, quality } = call as Record<string, unknown>;
      return [agent, left ?? model, ...(quality === undefined ? [] : [quality])];
    });
  const limited = await run(withBudget({ MaxTokens: 100 }, only(task(block))), { agents });
  expect(named(limited.calls)).toEqual([
    ['Clerk', { tokens: 100 }],
    ['A', { tokens: 80 }],
    ['Clerk', { tokens: 50 }],
  ]);
  const fallback = { When: 'Always', UseModel: 'small', Agent: 'B', Action: 'ReduceQuality' };
  const cheaper = withBudget({ MaxTokens: 100, Fallback: fallback }, only(task(block)));
  expect(named((await run(cheaper, { agents })).calls)).toEqual([
    ['Clerk', 'small', 'reduced'],
    ['B', 'small', 'reduced'],
    ['Clerk', 'small', 'reduced'],
  ]);
});

test.for([true, false])('each call of a state asks or waits, fused: %s', async (fuse) => {
  const work = chain({ One: task(), Two: task({ ...summarised, ...judged('Output') }) });
  const agents = { A: uses(10), Clerk: () => ({ valid: true, _tokens: 10 }) };
  const prompts: string[] = [];
  const asked = await run(withBudget({ MaxTokens: 10, OnExceed: 'PauseAndNotify' }, work), {
    agents,
    fuse,
    decide: ({ prompt }) => (prompts.push(prompt), { decision: 'approve' }),
  });
  expect(asked.output).toMatchObject({ status: 'succeeded' });
  expect(prompts.map((prompt) => /\d+ of \d+ tokens/.exec(prompt)?.[0])).toEqual([
    '10 of 10 tokens',
    '20 of 20 tokens',
    '30 of 30 tokens',
  ]);
  const waits = withBudget({ MaxTokens: 10, OnExceed: 'Throttle', ThrottleDelay: '30s' }, work);
  const throttled = await run(waits, { agents, fuse });
  expect(throttled.output).toMatchObject({ status: 'succeeded' });
  expect(throttled.seconds).toBe(90);
});

test('another workflow is not started without any remaining budget', async () => {
  const workflow = withBudget(
    { MaxTokens: 10 },
    chain({ One: task(), Two: { Type: 'Workflow', WorkflowId: 'other' } }),
  );
  const { calls, output } = await run(workflow, { agents: { A: uses(10) } });
  expect(calls).toHaveLength(1);
  expect(output).toMatchObject({ status: 'failed', error: 'States.BudgetExceeded' });
});

test('the usage of a failed call counts', async () => {
  const error = new PortError('port/failed', 'runAgent', 'It broke.', {
    usage: { requests: 1, inputTokens: 20, outputTokens: 10, cost: 0.5 },
  });
  const workflow = withBudget(
    { MaxTokens: 50 },
    chain({ T: task({ Retry: [{ ErrorEquals: ['States.ALL'], MaxAttempts: 5 }] }) }),
  );
  const failing: Agent = () => {
    throw error;
  };
  const { calls, output } = await run(workflow, { agents: { A: failing } });
  expect(calls).toHaveLength(2);
  expect(output).toMatchObject({
    error: 'States.BudgetExceeded',
    costs: { total: { tokens: 60, cost: 1 } },
  });
});

test.for([
  [task({ Budget: { MaxDuration: '1m' } }), {}],
  [task(), { MaxDuration: '1m' }],
] as const)(
  'the time of an agent that reports no usage counts, and its call is stopped: %j',
  async ([state, budget]) => {
    const agents: { A: Agent } = { A: async (_, { works }) => (await works!(3600), 'late') };
    const { output, seconds } = await run(
      { ...only(state), ...('MaxDuration' in budget && { Budget: budget }) },
      { agents },
    );
    expect(output).toMatchObject({ status: 'failed', error: 'States.BudgetExceeded' });
    expect(seconds).toBe(60);
  },
);

const slow: Agent = async (_, { works }) => (await works!(25), 'done');

test.for([
  ['states', three(), 3],
  ['branches', only({ Type: 'Parallel', Branches: [three(), three()] }), 6],
  ['items', over(3), 3],
  ['waits', chain({ One: task(), W: { Type: 'Wait', Seconds: 20 }, Two: task() }), 2],
  [
    'attempts',
    chain({
      One: task(),
      Two: task({
        ResultSelector: { 'missing.$': '$.missing' },
        Retry: [{ ErrorEquals: ['States.ParameterPathFailure'], IntervalSeconds: 1 }],
      }),
    }),
    3,
  ],
] as const)('the time of a workflow counts over its %s', async ([, workflow, count]) => {
  const { output, calls, seconds } = await run(withBudget({ MaxDuration: '1m' }, workflow), {
    agents: { A: slow },
  });
  expect(output).toMatchObject({ status: 'failed', error: 'States.BudgetExceeded' });
  expect(calls).toHaveLength(count);
  expect(seconds).toBe(60);
});

test('failed attempts and the pauses between them count for the time of a budget', async () => {
  const state = task({
    Budget: { MaxDuration: '1m' },
    Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 5, BackoffRate: 1, MaxAttempts: 9 }],
  });
  const agents: { A: Agent } = {
    A: async (_, { works }) => {
      await works!(20);
      throw Object.assign(new Error('no'), { error: 'Busy' });
    },
  };
  const { output, calls, seconds } = await run(only(state), { agents });
  expect(output).toMatchObject({ error: 'States.BudgetExceeded' });
  expect(calls).toHaveLength(3);
  expect(seconds).toBe(60);
});

test('a workflow without usage reports ends when its time is up', async () => {
  const { output, calls } = await run(withBudget({ MaxDuration: '1m' }, three()), {
    agents: { A: async (_, { works }) => (await works!(25), 'done') },
  });
  expect(output).toMatchObject({ status: 'failed', error: 'States.BudgetExceeded' });
  expect(calls).toHaveLength(3);
});
