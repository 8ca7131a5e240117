import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { explore } from '../../src/exploring/explore.ts';
import { runTest } from '../../src/testing/run-test.ts';
import { usualStart } from '../../src/testing/stage-options.ts';

/** Tasks that wait for their tokens are part of the search. */

const bounds = { steps: 2000, seconds: 3_600 };

const waiting = (more: object) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
  Parameters: { FunctionName: 'ask', Payload: { 'token.$': '$$.Task.Token' } },
  ...more,
});

const end = { Type: 'Pass', End: true };

/** Explores a workflow and runs the generated tests on the stage. */
async function explored(definition: object, others: Readonly<Record<string, object>> = {}) {
  const compileAll = (each: object) => compile(JSON.stringify(each), { format: 'asl' });
  const compiled = compileAll(definition);
  const children = Object.fromEntries(
    Object.entries(others).map(([name, each]) => [name, compileAll(each)]),
  );
  const found = await explore(compiled, { bounds, others: children });
  const stage = { name: 'w', definition: compiled, others: children, startAt: usualStart };
  for (const each of found.tests) {
    const { failures } = await runTest({ test: each, name: each.name }, stage);
    expect({ name: each.name, failures }).toEqual({ name: each.name, failures: [] });
  }
  return {
    ...found,
    unreached: found.unreached.map(({ kind, label, reason }) => `${kind} ${label}: ${reason}`),
    steps: found.tests.flatMap(({ steps }) => steps.flatMap(({ task }) => (task ? [task] : []))),
  };
}

test('a task completes with each compared value, fails with each error, retries and times out', async () => {
  const { unreached, steps } = await explored({
    StartAt: 'Approve',
    States: {
      Approve: waiting({
        HeartbeatSeconds: 60,
        ResultPath: '$.answer',
        Retry: [{ ErrorEquals: ['Busy'], MaxAttempts: 2 }],
        Catch: [
          { ErrorEquals: ['Denied'], Next: 'No' },
          { ErrorEquals: ['States.HeartbeatTimeout'], Next: 'Silent' },
        ],
        Next: 'Way',
      }),
      Way: {
        Type: 'Choice',
        Choices: [{ Variable: '$.answer.amount', NumericGreaterThan: 100, Next: 'Big' }],
        Default: 'Small',
      },
      ...Object.fromEntries(['No', 'Silent', 'Big', 'Small'].map((name) => [name, end])),
    },
  });
  expect(unreached).toEqual([]);
  expect(steps).toContainEqual({ state: 'Approve', completes: { amount: 101 } });
  expect(steps).toContainEqual({ state: 'Approve', fails: 'Denied' });
  expect(steps).toContainEqual({ state: 'Approve', heartbeat: true });
});

test('tasks in items, in branches and in children get their tokens back', async ({ skip }) => {
  skip(!runsAll);
  const body = (name: string) => ({
    StartAt: name,
    States: {
      [name]: waiting({ Catch: [{ ErrorEquals: ['Lost'], Next: `${name} lost` }], End: true }),
      [`${name} lost`]: end,
    },
  });
  const { unreached } = await explored({
    StartAt: 'Each',
    States: {
      Each: { Type: 'Map', ItemsPath: '$.list', ItemProcessor: body('Item'), Next: 'Both' },
      Both: { Type: 'Parallel', Branches: [body('Left'), body('Right')], End: true },
    },
  });
  expect(unreached).toEqual([]);
  const outer = {
    StartAt: 'Call',
    States: {
      Call: {
        Type: 'Task',
        Agent: 'workflow:inner',
        Catch: [{ ErrorEquals: ['Denied'], Next: 'No' }],
        End: true,
      },
      No: end,
    },
  };
  const inner = { StartAt: 'Ask', States: { Ask: waiting({ End: true }) } };
  const parent = await explored(outer, { inner });
  expect(parent.unreached).toEqual([]);
  expect(parent.steps).toContainEqual({ state: 'Ask', fails: 'Denied' });
});

test('an activity is worked on by nobody else: its steps complete it', async () => {
  const { unreached, steps } = await explored({
    StartAt: 'Work',
    States: {
      Work: {
        Type: 'Task',
        Resource: 'arn:aws:states:us-east-1:111122223333:activity:work',
        TimeoutSeconds: 30,
        Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'Late' }],
        Next: 'Done',
      },
      Late: end,
      Done: end,
    },
  });
  expect(unreached).toEqual([]);
  expect(steps.map(({ state }) => state)).toContain('Work');
});
