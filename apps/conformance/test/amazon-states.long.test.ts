import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { printed } from '../src/print.ts';
import { runFolder } from '../src/run.ts';

/** The corpus is in a folder next to the project. */
const corpus = join(import.meta.dirname, '../../../../shared/corpus/amazon-states');
const isThere = existsSync(join(corpus, 'cases'));

describe.skipIf(!isThere)('the corpus of Amazon States Language', () => {
  test('passes at least 98 % of the cases in every group and in both query languages', async () => {
    const report = await runFolder(corpus);
    const { 'what it uses, by query language': groups = {} } = report.groups;
    const shares = Object.entries(groups).map(
      ([name, { passed, total }]) => [name, passed / total] as const,
    );
    console.log(printed(report));
    expect(shares.length).toBeGreaterThan(0);
    expect(shares.filter(([, share]) => share < 0.98)).toEqual([]);
  });
});

test(`the corpus of Amazon States Language ${isThere ? 'exists' : 'is missing: its tests are skipped'}`, () => {
  expect(existsSync(join(corpus, 'cases'))).toBe(isThere);
});

const echo = {
  StartAt: 'Echo',
  States: {
    Echo: { Type: 'Pass', Next: 'Rest' },
    Rest: { Type: 'Wait', Seconds: 86_400, End: true },
  },
};

const input = { a: 1 };

const plain = {
  id: 'plain',
  area: 'base',
  uses: 'pure',
  queryLanguage: 'JSONPath',
  definition: echo,
  input,
  expected: { status: 'SUCCEEDED', output: input },
};

/** Runs the cases. Returns undefined for each that passes, and two lines for each that fails. */
async function differencesOf(...cases: object[]) {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    for (const [index, one] of cases.entries()) {
      const file = join(folder, 'cases', 'base', `${String(index).padStart(3, '0')}.json`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ ...plain, id: `${index}`, ...one }));
    }
    const { failures, remarks } = await runFolder(folder);
    return cases.map((_, index) => {
      const isThis = ({ id }: { id: string }) => id === `${index}`;
      const { expected, actual } = failures.find(isThis) ?? remarks.find(isThis) ?? {};
      return expected === undefined ? undefined : [expected, actual];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const task = (fields = {}) => ({
  StartAt: 'Ask',
  States: {
    Ask: { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke', End: true, ...fields },
  },
});

test('a workflow runs to its end, and waiting takes no time', async () => {
  const trace = {
    ordered: true,
    events: [
      { enter: 'Echo', type: 'Pass', input },
      { exit: 'Echo', output: input },
      { enter: 'Rest', type: 'Wait', input },
      { exit: 'Rest', output: input },
    ],
  };
  expect(await differencesOf({ trace })).toEqual([undefined]);
});

test('a difference is reported in two lines', async () => {
  expect(
    await differencesOf(
      { expected: { status: 'SUCCEEDED', output: { a: 2 } } },
      { expected: { status: 'FAILED', error: 'Bad' } },
      { trace: { ordered: true, events: [{ enter: 'Rest', type: 'Wait', input }] } },
    ),
  ).toEqual([
    ['output.a: 2', 'output.a: 1'],
    ['status: FAILED {"error":"Bad"}', 'status: SUCCEEDED {"output":{"a":1}}'],
    ['trace[0]: enter Rest (Wait)', 'trace[0]: enter Echo (Pass)'],
  ]);
});

test('a failure is compared by its name, and its cause is a remark', async () => {
  const definition = {
    StartAt: 'No',
    States: { No: { Type: 'Fail', Error: 'Bad', Cause: 'So it is.' } },
  };
  const failing = (expected: object) => ({
    definition,
    expected: { status: 'FAILED', ...expected },
  });
  expect(
    await differencesOf(
      failing({ error: 'Bad', cause: 'So it is.' }),
      failing({ error: 'Bad', cause: 'So it was.' }),
      failing({ error: 'Worse' }),
    ),
  ).toEqual([
    undefined,
    ['cause: "So it was."', 'cause: "So it is."'],
    ['error: "Worse"', 'error: "Bad"'],
  ]);
});

test('tasks receive their recorded replies, and their inputs are compared', async () => {
  const reply = { state: 'Ask', input, output: { b: 2 } };
  const succeeded = { status: 'SUCCEEDED', output: { b: 2 } };
  const failure = { state: 'Ask', input, outcome: 'TaskFailed', error: 'Bad' };
  const retried = task({ Retry: [{ ErrorEquals: ['Bad'] }] });
  const silent = { state: 'Ask', input, outcome: 'TaskTimedOut' };
  expect(
    await differencesOf(
      { definition: task(), stubs: [reply], expected: succeeded },
      { definition: task(), stubs: [{ ...reply, input: {} }], expected: succeeded },
      { definition: retried, stubs: [failure, failure, reply], expected: succeeded },
      { definition: task(), stubs: [reply, reply], expected: succeeded },
      {
        definition: task({ TimeoutSeconds: 60 }),
        stubs: [silent],
        expected: { status: 'FAILED', error: 'States.Timeout' },
      },
      { definition: task(), stubs: [silent], expected: succeeded },
    ),
  ).toEqual([
    undefined,
    ['Ask asks.a: nothing', 'Ask asks.a: 1'],
    undefined,
    ['attempts: 2', 'attempts: 1; Ask was to ask again'],
    undefined,
    ['status: SUCCEEDED', expect.stringMatching(/^status: still waiting in /)],
  ]);
});

test('a task that waits for its token completes with it', async () => {
  const Resource = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';
  const definition = task({ Resource, Parameters: { 'Token.$': '$$.Task.Token' } });
  const stub = { state: 'Ask', input: { Token: 'a token' }, submitted: {}, output: 'done' };
  expect(
    await differencesOf({
      uses: 'token',
      definition,
      stubs: [stub],
      expected: { status: 'SUCCEEDED', output: 'done' },
    }),
  ).toEqual([undefined]);
});

test('ids and times of the run match those of the recording', async () => {
  const definition = {
    StartAt: 'Tell',
    States: { Tell: { Type: 'Pass', Parameters: { 'context.$': '$$' }, End: true } },
  };
  const context = {
    Execution: {
      Id: 'arn:aws:states:us-east-1:111111111111:execution:w:e',
      Name: 'e',
      Input: input,
      RoleArn: 'a role',
      StartTime: 'then',
      RedriveCount: 0,
    },
    StateMachine: { Id: 'arn:aws:states:us-east-1:111111111111:stateMachine:w', Name: 'w' },
    State: { Name: 'Tell', EnteredTime: 'then' },
  };
  const expected = { status: 'SUCCEEDED', output: { context } };
  const renamed = { ...context, State: { Name: 'Other', EnteredTime: 'then' } };
  expect(
    await differencesOf(
      { definition, expected },
      { definition, expected: { status: 'SUCCEEDED', output: { context: renamed } } },
    ),
  ).toEqual([
    undefined,
    ['output.context.State.Name: "Other"', 'output.context.State.Name: "Tell"'],
  ]);
});

test('a single state runs alone, and the data between its fields is compared', async () => {
  const definition = { Type: 'Pass', InputPath: '$.a', End: true };
  const one = { uses: 'state', definition };
  const inspection = { input, afterInputPath: 1 };
  expect(
    await differencesOf(
      { ...one, inspection, expected: { status: 'SUCCEEDED', output: 1 } },
      {
        ...one,
        inspection: { ...inspection, afterInputPath: 2 },
        expected: { status: 'SUCCEEDED', output: 1 },
      },
    ),
  ).toEqual([undefined, ['inspection.afterInputPath: 2', 'inspection.afterInputPath: 1']]);
});

test('a case that cannot run fails, and the others continue', async () => {
  const differences = await differencesOf(
    { definition: { StartAt: 'Nowhere', States: {} } },
    {},
    { uses: 'state', definition: {} },
    {},
  );
  expect(differences).toEqual([
    ['a machine', expect.any(String)],
    undefined,
    [expect.any(String), expect.any(String)],
    undefined,
  ]);
});
