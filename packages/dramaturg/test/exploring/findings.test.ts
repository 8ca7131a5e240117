import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { explore } from '../../src/exploring/explore.ts';
import { runsAll } from '../../../../.config/scaled.ts';

/** Few enough steps to end before the time is up, also on a busy machine. */
const bounds = { steps: 2000, seconds: 3_600 };

async function findingsIn(definition: object) {
  const compiled = compile(JSON.stringify(definition), { format: 'asl' });
  const { findings } = await explore(compiled, { bounds });
  return findings.map(({ code, path, message, example }) => ({ code, path, message, example }));
}

test('a value that no rule accepts is found, with the value', async () => {
  const way = [
    { Variable: '$.score', NumericGreaterThan: 10, Next: 'Good' },
    { Variable: '$.score', NumericLessThan: 10, Next: 'Bad' },
  ];
  const states = { Good: { Type: 'Succeed' }, Bad: { Type: 'Fail', Error: 'Bad' } };
  const findings = await findingsIn({
    StartAt: 'Way',
    States: { Way: { Type: 'Choice', Choices: way }, ...states },
  });
  expect(findings).toEqual([
    {
      code: 'explore/no-choice',
      path: ['States', 'Way'],
      message:
        'The state "Way" has no rule for a value that can come, and no "Default": the run fails.',
      example: { input: { input: { score: 10 } }, steps: [{}] },
    },
  ]);
  const withDefault = { Type: 'Choice', Choices: way, Default: 'Good' };
  const whole = { StartAt: 'Way', States: { Way: withDefault, ...states } };
  expect(await findingsIn(whole)).toEqual([]);
});

test('a value that no rule accepts is found in the state that has no rule, also after others', async () => {
  const findings = await findingsIn({
    StartAt: 'Begin',
    States: {
      Begin: { Type: 'Pass', Next: 'Ask' },
      Ask: { Type: 'Task', Agent: 'Ask', ResultPath: '$.answer', Next: 'Way' },
      Way: {
        Type: 'Choice',
        Choices: [{ Variable: '$.answer', StringEquals: 'yes', Next: 'End' }],
      },
      End: { Type: 'Succeed' },
    },
  });
  expect(findings).toMatchObject([{ code: 'explore/no-choice', path: ['States', 'Way'] }]);
});

test('a loop that nothing can leave is found, with the input that leads into it', async () => {
  const findings = await findingsIn({
    StartAt: 'Wait',
    States: {
      Wait: { Type: 'Wait', Seconds: 5, Next: 'Ready' },
      Ready: {
        Type: 'Choice',
        Choices: [{ Variable: '$.done', BooleanEquals: true, Next: 'End' }],
        Default: 'Wait',
      },
      End: { Type: 'Succeed' },
    },
  });
  expect(findings).toMatchObject([
    { code: 'explore/no-end', example: { input: { input: { done: false } } } },
  ]);
});

// It evaluates JSONata until the limit of the transitions of a run.
test.runIf(runsAll)(
  'a loop that neither waits nor asks is found, also one that JSONata decides',
  async () => {
    const States = {
      Ready: {
        Type: 'Choice',
        Choices: [{ Condition: '{% $states.input.ready = true %}', Next: 'End' }],
        Default: 'Again',
      },
      Again: { Type: 'Pass', Next: 'Ready' },
      End: { Type: 'Succeed' },
    };
    const definition = { QueryLanguage: 'JSONata', StartAt: 'Ready', States };
    expect(await findingsIn(definition)).toMatchObject([{ code: 'explore/no-progress' }]);
    const again = { Type: 'Pass', Output: { ready: true }, Next: 'Ready' };
    const mended = { ...definition, States: { ...States, Again: again } };
    expect(await findingsIn(mended)).toEqual([]);
  },
);

test('a loop that an agent can leave is none', async () => {
  const findings = await findingsIn({
    StartAt: 'Ask',
    States: {
      Ask: { Type: 'Task', Agent: 'Ask', ResultPath: '$.done', Next: 'Ready' },
      Ready: {
        Type: 'Choice',
        Choices: [{ Variable: '$.done', BooleanEquals: true, Next: 'End' }],
        Default: 'Ask',
      },
      End: { Type: 'Succeed' },
    },
  });
  expect(findings).toEqual([]);
});

test('an approval is found that nobody may decide: its only approver has asked for it', async () => {
  const approval = (approvers: readonly string[]) => ({
    StartAt: 'Ask',
    States: {
      Ask: {
        Type: 'Approval',
        Prompt: 'Pay?',
        Policy: { Approvers: approvers, ExcludeRequestor: true },
        ResultPath: '$.decision',
        Choices: [{ Variable: '$.decision.approval', StringEquals: 'approve', Next: 'Pay' }],
        Default: 'No',
      },
      Pay: { Type: 'Task', Agent: 'Pay', End: true },
      No: { Type: 'Fail', Error: 'No' },
    },
  });
  expect(await findingsIn(approval(['ana']))).toMatchObject([
    {
      code: 'explore/undecidable',
      path: ['States', 'Ask'],
      message:
        'The state "Ask" asks for a decision that nobody may make: "ana" has requested it, so somebody else has to decide.',
    },
    { code: 'explore/no-end' },
  ]);
  expect(await findingsIn(approval(['ana', 'bob']))).toEqual([]);
});

test('an approval that excludes the requestor is reached after other states, and its only user may be the requestor', async () => {
  const approval = (users: readonly string[]) => ({
    StartAt: 'Draft',
    States: {
      Draft: { Type: 'Task', Agent: 'Draft', ResultPath: '$.draft', Next: 'Ask' },
      Ask: {
        Type: 'Approval',
        Prompt: 'Pay?',
        Policy: { Approvers: { Users: users }, ExcludeRequestor: true },
        ResultPath: '$.decision',
        Next: 'Pay',
      },
      Pay: { Type: 'Task', Agent: 'Pay', End: true },
    },
  });
  const { unreached } = await explore(
    compile(JSON.stringify(approval(['ana', 'bob'])), { format: 'asl' }),
    { bounds },
  );
  expect(unreached).toEqual([]);
  expect(await findingsIn(approval(['ana']))).toMatchObject([
    { code: 'explore/undecidable', path: ['States', 'Ask'] },
    { code: 'explore/no-end' },
  ]);
});

test('a loop that a later time ends is none, and the search lets that time come', async () => {
  const loop = {
    StartAt: 'Poll',
    States: {
      Poll: { Type: 'Wait', Seconds: 5, Next: 'Ready' },
      Ready: {
        Type: 'Choice',
        Choices: [{ Variable: '$.done', BooleanEquals: true, Next: 'Found' }],
        Default: 'Poll',
      },
      Found: { Type: 'Succeed' },
    },
  };
  const limit = {
    StartAt: 'Limit',
    States: {
      Limit: { Type: 'Wait', Seconds: 60, Next: 'Late' },
      Late: { Type: 'Fail', Error: 'Late' },
    },
  };
  const definition = {
    StartAt: 'Both',
    States: {
      Both: {
        Type: 'Parallel',
        Branches: [loop, limit],
        Catch: [{ ErrorEquals: ['Late'], Next: 'TooLate' }],
        End: true,
      },
      TooLate: { Type: 'Succeed' },
    },
  };
  const compiled = compile(JSON.stringify(definition), { format: 'asl' });
  const { findings, unreached } = await explore(compiled, { bounds });
  expect(findings).toEqual([]);
  expect(unreached.map(({ label }) => label)).not.toContain('TooLate');
});

test('a task that waits for its token is not a dead end: the token comes back', async () => {
  const findings = await findingsIn({
    StartAt: 'Ask',
    States: {
      Ask: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
        Parameters: { FunctionName: 'ask', Payload: { 'token.$': '$$.Task.Token' } },
        End: true,
      },
    },
  });
  expect(findings).toEqual([]);
});
