import { check, type Json, type JsonObject } from '@dramaturg/compiler';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AmazonOptions, asl, toAmazon, type Workflow } from '../../src/index.ts';
import { failure, run, type RunOptions } from '../run.ts';
import { scaled } from '../../../../../.config/scaled.ts';

/** The export for Amazon: what it means, and what it refuses. */
function checked(workflow: JsonObject, dialect?: 'amazon') {
  const options = dialect ? { dialect } : {};
  return check(JSON.stringify(workflow), { formats: [asl], format: 'asl', options });
}

function exported(workflow: JsonObject, options?: AmazonOptions) {
  const { definition, diagnostics } = checked(workflow);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return toAmazon(workflow, (definition as Workflow).dialect, options);
}

function errorsOfAmazon(workflow: JsonObject): string[] {
  const { diagnostics } = checked(workflow, 'amazon');
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}

/** Agents by their names, and by the placeholders of their functions. */
const agents: NonNullable<RunOptions['agents']> = {
  Echo: (input) => input as Json,
  Broken: () => {
    throw failure('Broken', 'It is broken');
  },
  Flaky: (_, { calls }) => {
    if (calls < 3) throw failure('Busy', 'It is busy');
    return { calls };
  },
};
const functions = Object.fromEntries(
  Object.entries(agents).map(([name, agent]) => [`\${${name}FunctionArn}`, agent]),
);

async function outcome(workflow: JsonObject, options: RunOptions) {
  const { output, seconds, calls } = await run(workflow, options);
  return { output, seconds, inputs: calls.map(({ input }) => input) };
}

/** States that run in a row: each gets the name of the next one. */
type Part = Readonly<Record<string, Json>>;

const path = fc.constantFrom('$.a', '$.b', '$.c.d', '$.missing');
const comparison = fc.oneof(
  fc.record({ Variable: path, NumericGreaterThan: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ Variable: path, StringEquals: fc.constantFrom('x', 'y') }),
  fc.record({ Variable: path, IsPresent: fc.boolean() }),
  fc.record({ Variable: path, BooleanEquals: fc.boolean() }),
);
const condition = fc.letrec<{ any: Part }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    comparison,
    fc.record({ And: fc.array(tie('any'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ Or: fc.array(tie('any'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ Not: tie('any') }),
  ),
})).any;

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({
    Type: fc.constant('Pass'),
    Result: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('x', 'y', true, null)),
    ResultPath: fc.constantFrom('$.a', '$.b', '$.c'),
  }),
  fc.record(
    {
      Type: fc.constant('Task'),
      Agent: fc.constantFrom('Echo', 'Broken', 'Flaky'),
      ResultPath: fc.constantFrom('$.a', '$.r', null),
      Retry: fc.constant([{ ErrorEquals: ['Busy'], IntervalSeconds: 1, MaxAttempts: 2 }]),
      Catch: fc.constant([{ ErrorEquals: ['States.ALL'], Next: 'Last' }]),
      Metadata: fc.constant({ owner: 'ana' }),
    },
    { requiredKeys: ['Type', 'Agent', 'ResultPath'] },
  ),
  fc.record({
    Type: fc.constant('Choice'),
    Choices: condition.map((one) => [{ ...one, Next: 'Last' }]),
  }),
  fc.record({
    Type: fc.constant('Map'),
    ItemsPath: fc.constant('$.items'),
    ResultPath: fc.constant('$.mapped'),
    Iterator: fc.constantFrom('Echo', 'Flaky').map((agent) => ({
      StartAt: 'Item @',
      States: { 'Item @': { Type: 'Task', Agent: agent, End: true } },
    })),
  }),
  fc.record({
    Type: fc.constant('Parallel'),
    ResultPath: fc.constant('$.both'),
    Branches: fc
      .array(fc.constantFrom('Echo', 'Broken'), { minLength: 1, maxLength: 2 })
      .map((names) =>
        names.map((agent, branch) => ({
          StartAt: `Work @ ${branch}`,
          States: { [`Work @ ${branch}`]: { Type: 'Task', Agent: agent, End: true } },
        })),
      ),
    Catch: fc.constant([{ ErrorEquals: ['States.ALL'], Next: 'Last', ResultPath: '$.failed' }]),
  }),
  fc.record({ Type: fc.constant('Wait'), Seconds: fc.integer({ min: 0, max: 5 }) }),
);

const last = fc.constantFrom<Part>(
  { Type: 'Succeed' },
  { Type: 'Fail' },
  { Type: 'Fail', 'Error.$': '$.name', 'Cause.$': '$.name' },
  { Type: 'Task', Agent: 'Echo', End: true },
);

const workflows: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 5 }), last)
  .map(([steps, end]) => {
    const states = steps.map((step, index): [string, JsonObject] => {
      // Amazon wants each name once in the whole workflow.
      const state = JSON.parse(JSON.stringify(step).replaceAll('@', String(index))) as Part;
      const next = index + 1 < steps.length ? `S${index + 1}` : 'Last';
      const way = state['Type'] === 'Choice' ? { Default: next } : { Next: next };
      return [`S${index}`, { ...state, ...way }];
    });
    const all = [...states, ['Last', end as JsonObject] as const];
    // Always a workflow of agents.
    const first = { Type: 'Task', Agent: 'Echo', ResultPath: '$.first', Next: 'S0' };
    return {
      Version: '2.1',
      StartAt: 'First',
      States: { First: first, ...Object.fromEntries(all) },
    };
  });

const input = { items: [{ n: 1 }, { n: 2 }, { n: 3 }], name: 'Wrong', c: { d: 2 } };

test('an export behaves as the workflow does, and Amazon accepts it', async () => {
  await fc.assert(
    fc.asyncProperty(workflows, async (workflow) => {
      const { definition, gaps } = exported(workflow, { agents: 'lambda' });
      expect(gaps).toEqual([]);
      expect(errorsOfAmazon(definition)).toEqual([]);
      expect(await outcome(definition, { input, agents: functions })).toEqual(
        await outcome(workflow, { input, agents }),
      );
      // An export of an export is the same.
      expect(exported(definition)).toEqual({ definition, gaps: [] });
    }),
    { numRuns: scaled(60) },
  );
});

test('a workflow of Amazon is exported as it is, without its reference to a schema', () => {
  const workflow = {
    StartAt: 'A',
    States: { A: { Type: 'Task', Resource: 'arn:aws:lambda:us-east-1:1:function:f', End: true } },
  };
  const named = { $schema: './amazon-states.schema.json', ...workflow };
  expect(toAmazon(named, 'amazon')).toEqual({ definition: workflow, gaps: [] });
});

describe('an approval that waits for a token', () => {
  const workflow = {
    StartAt: 'Ask',
    States: {
      Ask: {
        Type: 'Approval',
        Prompt: "Pay {{$.amount}} to {{ $.name }}? It's {final}",
        ResultPath: '$.review',
        Timeout: '2m',
        Choices: [{ Variable: '$.review.approval', StringEquals: 'approve', Next: 'Pay' }],
        Default: 'Refused',
      },
      Pay: { Type: 'Task', Agent: 'Echo', End: true },
      Refused: { Type: 'Fail', Error: 'Refused' },
    },
  } satisfies JsonObject;
  const data = { amount: 12, name: 'Ada' };
  const taskOf = (approvals: 'sqs' | 'lambda') => {
    const { definition, gaps } = exported(workflow, { agents: 'lambda', approvals });
    expect(gaps).toEqual([]);
    expect(errorsOfAmazon(definition)).toEqual([]);
    return definition;
  };

  test.each(['approve', 'reject'])('leads where the approval leads: %s', async (approval) => {
    for (const by of ['sqs', 'lambda'] as const) {
      const definition = taskOf(by);
      const asked: Json[] = [];
      const ofAmazon = await run(definition, {
        input: data,
        agents: {
          ...functions,
          [`arn:aws:states:::${by === 'sqs' ? 'sqs:sendMessage' : 'lambda:invoke'}.waitForTaskToken`]:
            (message) => {
              asked.push(message as Json);
              return null;
            },
        },
        worker: (actor, { token }) =>
          actor.send({ type: 'task.succeeded', token, output: { approval } }),
      });
      const ofAgents = await run(workflow, {
        input: data,
        agents,
        decide: () => ({ decision: approval }),
      });
      expect(ofAmazon.output?.status).toBe(ofAgents.output?.status);
      expect(asked).toMatchObject([
        by === 'sqs'
          ? { MessageBody: { Prompt: "Pay 12 to Ada? It's {final}", Input: data } }
          : { Payload: { Prompt: "Pay 12 to Ada? It's {final}", Input: data } },
      ]);
    }
  });

  test('takes the default when nobody decides in time', async () => {
    const silent = { 'arn:aws:states:::sqs:sendMessage.waitForTaskToken': () => null };
    const { output, seconds } = await run(taskOf('sqs'), {
      input: data,
      agents: { ...functions, ...silent },
    });
    expect({ output, seconds }).toMatchObject({
      output: { status: 'failed', error: 'Refused' },
      seconds: 120,
    });
  });

  test('is refused where Amazon cannot do what it says', () => {
    const { ResultPath: _, ...merged } = workflow.States.Ask;
    const policy = { ...workflow.States.Ask, Policy: { RequiredApprovals: 2 }, Prompt: '{{a.b}}' };
    const gapsOf = (ask: JsonObject) =>
      exported(
        { ...workflow, States: { ...workflow.States, Ask: ask } },
        { agents: 'lambda', approvals: 'sqs' },
      ).gaps.map(({ path: at, message }) => [at.join('.'), message]);
    expect(gapsOf(merged)).toEqual([
      [
        'States.Ask',
        'An approval without "ResultPath" adds the decision to its input, and Amazon cannot.',
      ],
    ]);
    expect(gapsOf(policy)).toEqual([
      ['States.Ask.Policy', 'Amazon has no field "Policy" here.'],
      ['States.Ask.Prompt', 'Amazon fills only paths into the text of a prompt.'],
    ]);
  });
});

const agentTask = { Type: 'Task', Agent: 'Writer', End: true };
const one = (state: JsonObject, more: JsonObject = {}) => ({
  StartAt: 'A',
  States: { A: state },
  ...more,
});

test.each<[string, JsonObject, string]>([
  ['States.A.Agent', one(agentTask), 'Amazon cannot call the agent "Writer".'],
  [
    'States.A',
    one({ Type: 'Approval', Prompt: 'Go?', ResultPath: '$.a', End: true }),
    'Amazon has no state of the type "Approval".',
  ],
  [
    'States.A',
    one({ Type: 'Checkpoint', Name: 'here', End: true }),
    'Amazon has no state of the type "Checkpoint".',
  ],
  [
    'States.A',
    one({ Type: 'Debate', Agents: ['A', 'B'], Topic: 't', End: true }),
    'Amazon has no state of the type "Debate".',
  ],
  [
    'Budget',
    one({ Type: 'Task', Agent: 'W', End: true }, { Budget: { MaxCost: '$5.00' } }),
    'Amazon has no field "Budget" here.',
  ],
  [
    'States.A.Guardrails',
    one({ ...agentTask, Guardrails: { Input: { Rules: [{ Type: 'length', Max: 9 }] } } }),
    'Amazon has no field "Guardrails" here.',
  ],
  [
    'States.A.Retry.0.JitterStrategy',
    one({ ...agentTask, Retry: [{ ErrorEquals: ['Busy'], JitterStrategy: 'DECORRELATED' }] }),
    'Amazon has no jitter "DECORRELATED".',
  ],
  [
    'States.A.Parameters.x.$',
    one({ ...agentTask, Parameters: { 'x.$': 'States.ArrayRange(0, 5, 1)' } }),
    'Amazon counts the end of "States.ArrayRange" in, and a workflow of agents does not.',
  ],
  [
    'States.A.Agent',
    one({ ...agentTask, Agent: 'plan:intake' }),
    'Amazon cannot call the agent "plan:intake".',
  ],
])('%s is named', (at, workflow, message) => {
  const gaps = exported(workflow).gaps.map((gap) => [gap.path.join('.'), gap.message]);
  expect(gaps).toContainEqual([at, message]);
});

test('fields are left out only when it is asked for, and never what changes a decision', () => {
  const workflow = one(
    {
      ...agentTask,
      Budget: { MaxTokens: 10 },
      Guardrails: {},
      Catch: [{ ErrorEquals: ['X'], Next: 'B' }],
    },
    { Budget: { MaxCost: '$5.00' } },
  );
  const states = { ...workflow.States, B: { Type: 'Checkpoint', Name: 'c', End: true } };
  const { gaps, definition } = exported(
    { ...workflow, States: states },
    { agents: 'lambda', leaveOut: true },
  );
  expect(gaps.map(({ path: at }) => at.join('.'))).toEqual(['States.B']);
  expect(definition['Budget']).toBeUndefined();
  expect((definition['States'] as JsonObject)['A']).toEqual({
    Type: 'Task',
    Resource: '${WriterFunctionArn}',
    Catch: [{ ErrorEquals: ['X'], Next: 'B', ResultPath: '$.error' }],
    End: true,
  });
});
