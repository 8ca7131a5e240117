import type { Json, JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { type Agent, chain, only, outputOf, run, task } from '../run.ts';

/** Sections B.10 and B.13: the context window and the reasoning of an agent. */

/** The input of the agent under a context block. */
async function seen(context: JsonObject, input: Json, agents: object = {}): Promise<Json> {
  const { calls, output } = await run(only(task({ Context: context })), {
    input,
    agents: { A: () => 'done', ...agents },
  });
  expect(output).toMatchObject({ status: 'succeeded' });
  return calls.at(-1)!.input;
}

const turns = Array.from({ length: 20 }, (_, index) => `turn number ${index}`);

test('an input that fits stays as it is, except for excluded fields', async () => {
  expect(await seen({ MaxTokens: 100 }, { a: 1, b: [2] })).toEqual({ a: 1, b: [2] });
  expect(await seen({ Exclude: ['$.secret.key'] }, { a: 1, secret: { key: 'k', id: 2 } })).toEqual({
    a: 1,
    secret: { id: 2 },
  });
});

test('a sliding window keeps the newest', async () => {
  expect(await seen({ MaxTokens: 20 }, { turns, now: 'hi' })).toEqual({
    turns: ['turn number 17', 'turn number 18', 'turn number 19'],
    now: 'hi',
  });
  expect(await seen({ MaxTokens: 2 }, 'the end of a text')).toBe('f a text');
});

test('included values stay whole, and the rest is cut', async () => {
  const window = await seen(
    { MaxTokens: 22, Include: ['$.rules'] },
    { rules: 'Be kind, be brief, be true.', turns },
  );
  expect(window).toEqual({
    rules: 'Be kind, be brief, be true.',
    turns: ['turn number 18', 'turn number 19'],
  });
});

test('priorities fill the window in their order, and the last value is cut', async () => {
  const context = {
    Strategy: 'priority_based',
    MaxTokens: 24,
    Priority: ['$.message', '$.missing', '$.user.history', '$.user.notes'],
  };
  expect(await seen(context, { user: { history: turns, notes: 'x' }, message: 'Hello!' })).toEqual({
    message: 'Hello!',
    user: { history: ['turn number 18', 'turn number 19'] },
  });
});

test('memory ranks the candidates, and the best are kept', async () => {
  const context = {
    Strategy: 'semantic',
    'Query.$': '$.question',
    Candidates: '$.documents',
    TopK: 1,
  };
  const documents = [{ text: 'on coffee' }, { text: 'on green tea' }];
  expect(await seen(context, { question: 'tea?', documents })).toEqual({
    question: 'tea?',
    documents: [{ text: 'on green tea' }],
  });
});

test('an agent summarises an input that is too large', async () => {
  const context = (more: object) => ({
    Strategy: 'summarize',
    MaxTokens: 30,
    Summarize: { Using: 'Clerk', Target: '$.turns', Ratio: 0.1, ...more },
  });
  const asked: Json[] = [];
  const agents = { Clerk: (input: Json) => (asked.push(input), { summary: 'They talked.' }) };
  expect(await seen(context({}), { turns }, agents)).toEqual({ turns: 'They talked.' });
  expect(asked).toEqual([{ value: turns, maxTokens: 30, ratio: 0.1 }]);
  expect(await seen(context({}), { turns: ['few'] }, agents)).toEqual({ turns: ['few'] });
  expect(await seen(context({ When: 'Always' }), { turns: ['few'] }, agents)).toEqual({
    turns: 'They talked.',
  });
  expect(await seen(context({ When: 'Never' }), { turns }, agents)).not.toEqual({ turns });
});

const thinks =
  (...steps: string[]): Agent =>
  () => ({
    result: { answer: 4 },
    reasoning: {
      steps: steps.map((thought, index) => ({ step: index + 1, thought })),
      conclusion: 'so',
    },
  });

test('reasoning is emitted, and kept out of the data', async () => {
  const workflow = only(task({ Reasoning: { Required: true, Format: 'chain_of_thought' } }));
  const { output, events, calls } = await run(workflow, {
    agents: { A: thinks('two', 'and two') },
  });
  expect(output).toEqual({ status: 'succeeded', output: { answer: 4 } });
  expect(calls[0]).toMatchObject({ reasoning: { format: 'chain_of_thought' } });
  expect(events.find(({ type }) => type === 'reasoning.recorded')).toMatchObject({
    state: 'S',
    format: 'chain_of_thought',
    reasoning: { steps: [{ thought: 'two' }, { thought: 'and two' }], conclusion: 'so' },
  });
});

test('reasoning is stored where the definition says', async () => {
  const workflow = only(task({ Reasoning: { Store: '$.trace' }, ResultPath: '$.sum' }));
  const output = await outputOf(workflow, { input: { a: 1 }, agents: { A: thinks('two') } });
  expect(output).toMatchObject({ a: 1, sum: { answer: 4 }, trace: { conclusion: 'so' } });
});

test.for([
  [{}, thinks('two'), { answer: 4 }],
  [{}, () => ({ result: 4, reasoning: 'so' }), { result: 4 }],
  [{ ResultSelector: { 'is.$': '$.answer' } }, thinks('two'), { is: 4 }],
  [{ ResultPath: null }, thinks('two'), { a: 1 }],
  [
    { QueryLanguage: 'JSONata', Output: "{% {'is': $states.result.answer} %}" },
    thinks(),
    { is: 4 },
  ],
] satisfies [JsonObject, Agent, JsonObject][])(
  'it is stored beside the result, wherever that goes: %j',
  async ([fields, agent, data]) => {
    const workflow = only(task({ Reasoning: { Store: '$.why' }, ...fields }));
    const output = await outputOf(workflow, { input: { a: 1 }, agents: { A: agent } });
    expect(output).toEqual({ ...data, why: expect.anything() as Json });
  },
);

test.for([
  [{ Required: true }, () => 'just four', 'no reasoning'],
  [{ MinSteps: 3 }, thinks('a', 'b'), '2 steps, and needs 3'],
  [{ MaxSteps: 1 }, thinks('a', 'b'), '2 steps, and may have 1'],
] satisfies [JsonObject, Agent, string][])(
  'reasoning that does not meet %j fails the task',
  async ([reasoning, agent, what]) => {
    const workflow = chain({ S: task({ Reasoning: reasoning }) });
    const { output } = await run(workflow, { agents: { A: agent } });
    expect(output).toMatchObject({
      error: 'Agent.InvalidOutput',
      cause: `The answer of the agent has ${what}.`,
    });
  },
);
