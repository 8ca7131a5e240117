import type { JsonObject, PortInput } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { chain, only, outputOf, pass, run, startAt, task } from '../run.ts';

/** Section G: Approval, Debate and Checkpoint. */

function approval(...parts: JsonObject[]): JsonObject {
  return Object.assign({ Type: 'Approval', Prompt: 'Publish it?' }, ...parts);
}

const at = new Date(startAt).toISOString();

test('G75 an Approval waits until somebody decides', async () => {
  const questions: PortInput<'requestDecision'>[] = [];
  const { output, actor } = await run(chain({ R: approval({ Next: 'D' }), D: pass() }), {
    input: { draft: 'text' },
    decide: (question) => void questions.push(question),
  });
  expect(output).toBeUndefined();
  expect(actor.getSnapshot().hasTag('waiting')).toBe(true);
  expect(questions).toMatchObject([
    {
      prompt: 'Publish it?',
      options: [{ id: 'approve' }, { id: 'reject' }],
      data: { draft: 'text' },
    },
  ]);
});

test('G76 the decision is stored with who made it and when', async () => {
  const output = await outputOf(only(approval({ ResultPath: '$.r' })), {
    input: { draft: 1 },
    decide: () => ({ decision: 'approve', by: 'a@b', comment: 'lgtm' }),
  });
  expect(output).toEqual({
    draft: 1,
    r: {
      approval: 'approve',
      decision: 'approve',
      approver: 'a@b',
      timestamp: at,
      prompt: 'Publish it?',
      comment: 'lgtm',
    },
  });
});

test('G77 an invalid answer leaves the question open', async () => {
  let asked = 0;
  const { output } = await run(only(approval()), {
    decide: () => {
      asked += 1;
      return asked === 1 ? { decision: '' } : undefined;
    },
  });
  expect(output).toBeUndefined();
  expect(asked).toBe(2);
});

test.for([
  ['approve', 'yes'],
  ['reject', 'no'],
] as const)('G78 Choices lead on by decision: %s', async ([decision, expected]) => {
  const routes = (path: string) => ({
    Choices: [{ Variable: path, StringEquals: 'approve', Next: 'Y' }],
    Default: 'N',
  });
  const workflow = (fields: JsonObject) =>
    chain({
      R: approval({ Next: 'Y' }, fields),
      Y: pass({ Result: 'yes', End: true }),
      N: pass({ Result: 'no' }),
    });
  for (const fields of [
    { ResultPath: '$.r', ...routes('$.r.approval') },
    routes('$.approval'),
    { ResultPath: '$.approval', ...routes('$.approval.approval') },
    { ResultPath: '$.approval', ...routes('$.approval') },
  ]) {
    expect(await outputOf(workflow(fields), { decide: () => ({ decision }) })).toBe(expected);
  }
});

test.for([
  [{ ResultPath: '$.r' }, { Variable: '$.approval', StringEquals: 'approve' }],
  [{ ResultPath: '$.r' }, { Not: { Variable: '$.approval', StringEquals: 'reject' } }],
  [{ ResultPath: null }, { Variable: "$['approval']", StringEquals: 'approve' }],
  [
    { ResultPath: '$.r' },
    { 'Variable.$': "States.Format('{}!', $.approval)", StringEquals: 'approve!' },
  ],
  [
    { ResultPath: '$.approval' },
    { Not: { Variable: '$.approval.approval', StringEquals: 'reject' } },
  ],
] as const)(
  'Choices test the decision of their own Approval: %j with %j',
  async ([fields, rule]) => {
    const workflow = chain({
      // Its decision stays in the data, as `$.approval`.
      First: approval({ Prompt: 'First?' }),
      R: approval({ Choices: [{ ...rule, Next: 'Y' }], Default: 'N' }, fields),
      Y: pass({ Result: 'yes', End: true }),
      N: pass({ Result: 'no' }),
    });
    for (const first of ['approve', 'reject'])
      for (const decision of ['approve', 'reject'])
        expect(
          await outputOf(workflow, {
            decide: ({ prompt }) => ({ decision: prompt === 'First?' ? first : decision }),
          }),
        ).toBe(decision === 'approve' ? 'yes' : 'no');
  },
);

test('a record that is merged into the input replaces an earlier record', async () => {
  const batch = { ItemsPath: '$.items', Policy: { RequiredApprovals: 2 } };
  const people = ['ana', 'carl', 'bob'];
  const output = await outputOf(chain({ One: approval(batch), Two: approval() }), {
    input: { items: ['a'] },
    decide: () => {
      const by = people.shift()!;
      return by === 'bob' ? { decision: 'reject', by } : { decision: 'approve', by, comment: 'ok' };
    },
  });
  expect(output).toEqual({
    items: ['a'],
    approval: 'reject',
    approver: 'bob',
    timestamp: at,
    prompt: 'Publish it?',
  });
});

test('a field with the name of a record field stays when it is not part of a record', async () => {
  const input = { comment: 'from the customer' };
  expect(
    await outputOf(only(approval()), { input, decide: () => ({ decision: 'approve' }) }),
  ).toMatchObject({
    ...input,
    approval: 'approve',
  });
});

test('the InputPath of an Approval selects the data of the question, its OutputPath the output', async () => {
  const fields = { Prompt: 'Refund {{$.amount}}?', InputPath: '$.case', ResultPath: '$.r' };
  const input = { case: { amount: 80 } };
  const prompts: string[] = [];
  const decide = ({ prompt }: { prompt: string }) => {
    prompts.push(prompt);
    return { decision: 'approve' };
  };
  expect(await outputOf(only(approval(fields)), { input, decide })).toMatchObject({
    ...input,
    r: { approval: 'approve' },
  });
  expect(
    await outputOf(only(approval(fields, { OutputPath: '$.r.approval' })), { input, decide }),
  ).toBe('approve');
  expect(prompts).toEqual(['Refund 80?', 'Refund 80?']);
});

test('G79 the edits of a person are stored, and the original is kept', async () => {
  const fields = { Editable: { Fields: ['$.t'], ResultPath: '$.edited' }, ResultPath: '$.r' };
  const output = await outputOf(only(approval(fields)), {
    input: { t: 'old' },
    decide: ({ editable }) => {
      expect(editable).toEqual(['$.t']);
      return { decision: 'approve', edited: { t: 'new' } };
    },
  });
  expect(output).toMatchObject({ t: 'old', edited: { t: 'new' } });
});

test('G80 one decision is for one Approval', async () => {
  let asked = 0;
  const { output } = await run(chain({ One: approval(), Two: approval() }), {
    decide: () => {
      asked += 1;
      return asked === 1 ? { decision: 'approve' } : undefined;
    },
  });
  expect(asked).toBe(2);
  expect(output).toBeUndefined();
});

test('G81 without a person nothing is approved', async () => {
  expect((await run(only(approval()))).output).toBeUndefined();
});

test('G82 a decision that was not on offer is refused', async () => {
  let asked = 0;
  const { output, events } = await run(only(approval({ Options: ['ship', 'hold'] })), {
    decide: () => {
      asked += 1;
      return { decision: asked === 1 ? 'approve' : 'ship' };
    },
  });
  expect(events).toContainEqual({
    type: 'decision.refused',
    state: 'S',
    id: expect.stringMatching(/^[0-9a-z]{8}$/),
    decision: 'approve',
    because: '"approve" is not one of the options: ship, hold.',
  });
  expect(output).toMatchObject({ status: 'succeeded', output: { approval: 'ship' } });
});

test('an Approval fails after too many invalid decisions', async () => {
  const { output, events } = await run(only(approval()), { decide: () => ({ decision: 'maybe' }) });
  expect(output).toMatchObject({ status: 'failed', error: 'States.ValidationError' });
  expect(events.filter(({ type }) => type === 'decision.refused')).toHaveLength(200);
});

test('without a decision in time, the Default is taken or the run fails', async () => {
  const late = chain({
    R: approval({ Timeout: '24h', Default: 'N', Next: 'Y' }),
    Y: pass({ Result: 'yes', End: true }),
    N: pass(),
  });
  const defaulted = await run(late, { input: { a: 1 } });
  expect(defaulted.output).toEqual({ status: 'succeeded', output: { a: 1 } });
  expect(defaulted.seconds).toBe(24 * 3600);
  const { output } = await run(only(approval({ Timeout: '30m' })));
  expect(output).toMatchObject({ status: 'failed', error: 'States.Timeout' });
});

test('placeholders in a prompt are filled from the data', async () => {
  const prompts: string[] = [];
  const decide = ({ prompt }: { prompt: string }) => {
    prompts.push(prompt);
    return { decision: 'approve' };
  };
  const input = { user: { name: 'Ada' }, n: 2 };
  const states = {
    A: approval({ Prompt: 'Refund {{$.user.name}} {{$.missing}}?', ResultPath: null }),
    B: { ...approval({ 'Prompt.$': "States.Format('Send {} items?', $.n)", ResultPath: null }) },
    C: approval({ Prompt: { Title: 'Refund', 'Description.$': '$.user.name' }, ResultPath: null }),
  };
  delete (states.B as Record<string, unknown>)['Prompt'];
  await outputOf(chain(states), { input, decide });
  expect(prompts).toEqual(['Refund Ada {{$.missing}}?', 'Send 2 items?', 'Refund\n\nAda']);
});

function debate(...parts: JsonObject[]): JsonObject {
  return Object.assign({ Type: 'Debate', Agents: ['A1', 'A2'], Topic: 'tea or coffee' }, ...parts);
}

const speaks = (name: string) => () => ({ response: `${name} speaks` });
const speakers = { A1: speaks('A1'), A2: speaks('A2') };

test('G83 every agent speaks in every round, and sees the earlier turns', async () => {
  const { output, calls } = await run(only(debate({ Rounds: 2 })), { agents: speakers });
  expect(calls.map(({ agent }) => agent)).toEqual(['A1', 'A2', 'A1', 'A2']);
  expect(calls.map(({ input }) => (input as { history: unknown[] }).history.length)).toEqual([
    0, 1, 2, 3,
  ]);
  expect(output).toMatchObject({
    output: {
      topic: 'tea or coffee',
      rounds: 2,
      history: [
        { round: 1, agent: 'A1', response: 'A1 speaks' },
        { round: 1, agent: 'A2', response: 'A2 speaks' },
        { round: 2, agent: 'A1', response: 'A1 speaks' },
        { round: 2, agent: 'A2', response: 'A2 speaks' },
      ],
      decision: null,
    },
  });
});

test('G84 the last agent decides when a consensus is required', async () => {
  const fields = { Agents: ['A1', 'A2', 'J'], Rounds: 1, Consensus: { Required: true } };
  const { output, calls } = await run(only(debate(fields)), {
    agents: { ...speakers, J: () => ({ decision: 'tea', response: 'both have a point' }) },
  });
  expect(calls.map(({ agent }) => agent)).toEqual(['A1', 'A2', 'J']);
  expect(output).toMatchObject({ output: { decision: 'tea', consensus: true } });
});

test('G85 a debate needs two agents; a topic can be read from the data', async () => {
  await expect(run(only(debate({ Agents: ['A1'] })))).rejects.toThrow(/does not compile/);
  const { Topic: _, ...topicless } = debate({ TopicPath: '$.q', Rounds: 1 });
  const output = await outputOf(only(topicless), {
    input: { q: 'why' },
    agents: speakers,
  });
  expect(output).toMatchObject({ topic: 'why' });
});

test('G86 a topic may be an intrinsic function', async () => {
  const { Topic: _, ...topicless } = debate({ 'Topic.$': "States.Format('{}?', $.q)", Rounds: 1 });
  const output = await outputOf(only(topicless), {
    input: { q: 'why' },
    agents: speakers,
  });
  expect(output).toMatchObject({ topic: 'why?' });
});

test.for([
  [{ VisibleHistory: 'none' }, [0, 0, 0, 0]],
  [{ VisibleHistory: 'own' }, [0, 0, 1, 1]],
  [{ VisibleHistory: 'previous_only' }, [0, 1, 1, 1]],
  [{ Style: 'simultaneous' }, [0, 0, 2, 2]],
] as const)('who hears what: %j', async ([communication, expected]) => {
  const { calls } = await run(only(debate({ Rounds: 2, Communication: communication })), {
    agents: speakers,
  });
  const heard = calls.map(({ input }) => (input as { history: unknown[] }).history.length);
  expect(heard).toEqual(expected);
});

test('G87 a Checkpoint passes its input on, and emits an event', async () => {
  const workflow = only({ Type: 'Checkpoint', Name: 'after-research', TTL: '7d' });
  const { output, events } = await run(workflow, { input: { a: 1 } });
  expect(output).toEqual({ status: 'succeeded', output: { a: 1 } });
  expect(events).toContainEqual({
    type: 'checkpoint.saved',
    state: 'S',
    name: 'after-research',
    createdAt: at,
    expiresAt: '2026-01-27T10:30:00.000Z',
    kept: false,
  });
});

test('an Approval in each branch of a Parallel: all are open at once', async () => {
  const branch = (name: string) => chain({ [name]: approval({ Prompt: name }) });
  const workflow = only({ Type: 'Parallel', Branches: [branch('One'), branch('Two')] });
  const prompts: string[] = [];
  const { output } = await run(workflow, {
    decide: ({ prompt }) => {
      prompts.push(prompt);
      return prompt === 'Two' ? { decision: 'approve' } : undefined;
    },
  });
  expect(prompts).toEqual(['One', 'Two']);
  expect(output).toBeUndefined();
});

test('another workflow is called as an agent with its name', async () => {
  const workflow = only({
    Type: 'Workflow',
    WorkflowId: 'intake',
    Input: { 'name.$': '$.user' },
    ResultPath: '$.intake',
  });
  const output = await outputOf(workflow, {
    input: { user: 'Ada' },
    agents: { 'workflow:intake': (input) => ({ welcome: input.name }) },
  });
  expect(output).toEqual({ user: 'Ada', intake: { welcome: 'Ada' } });
});

test('a task after an Approval does not count as a retry', async () => {
  const workflow = chain({ R: approval({ ResultPath: null }), T: task() });
  const { calls } = await run(workflow, {
    decide: () => ({ decision: 'approve' }),
    agents: { A: () => 1 },
  });
  expect(calls).toHaveLength(1);
});

test('a template without a workflow fails at once', async () => {
  const template = { ...only(task({ Agent: '{{who}}' })), Parameters: { who: { Type: 'string' } } };
  const { output } = await run(template);
  expect(output).toMatchObject({ status: 'failed', error: 'States.ValidationError' });
});
