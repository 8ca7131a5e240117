import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { explore } from '../../src/exploring/explore.ts';
import { runTest } from '../../src/testing/run-test.ts';
import { usualStart } from '../../src/testing/stage-options.ts';

const bounds = { steps: 3000, seconds: 3_600 };

/** What became of each mistake in a workflow, without tests that are made for it. */
async function fatesIn(definition: object) {
  const { mutants = [] } = await explore(compile(JSON.stringify(definition), { format: 'asl' }), {
    bounds,
    mutation: { mutantsMax: 200, compile: (text) => compile(text, { format: 'asl' }) },
  });
  return mutants.map(({ words, fate }) => `${fate}: ${words}`);
}

const task = (next: object) => ({
  Type: 'Task',
  Agent: 'Ask',
  Retry: [{ ErrorEquals: ['Busy', 'Slow'], IntervalSeconds: 20, MaxAttempts: 3, BackoffRate: 4 }],
  ...next,
});

test('tests for coverage find mistakes in the retriers of every state, also of states with the same agent', async ({
  skip,
}) => {
  skip(!runsAll);
  const fates = await fatesIn({
    StartAt: 'One',
    States: { One: task({ Next: 'Two' }), Two: task({ End: true }) },
  });
  expect(fates.length).toBeGreaterThan(20);
  expect(fates.filter((fate) => !/^(?:found|refused): /.test(fate))).toEqual([]);
});

test('a mistake in the pause or the attempts of a retrier changes what a test can see', async () => {
  const numbers = { IntervalSeconds: 20, MaxAttempts: 3, BackoffRate: 4, MaxDelaySeconds: 100 };
  for (const JitterStrategy of ['NONE', 'FULL']) {
    const Retry = [{ ErrorEquals: ['Busy'], ...numbers, JitterStrategy }];
    const fates = await fatesIn({
      StartAt: 'One',
      States: { One: { Type: 'Task', Agent: 'Ask', Retry, End: true } },
    });
    const other = JitterStrategy === 'FULL' ? 'NONE' : 'FULL';
    expect(fates).toContain(`found: "JitterStrategy" is "${other}" instead of "${JitterStrategy}"`);
    expect(fates).toEqual(
      expect.arrayContaining(
        Object.entries(numbers).flatMap(([field, value]) =>
          [value + 1, value - 1].map(
            (wrong) => `found: "${field}" is ${wrong} instead of ${value}`,
          ),
        ),
      ),
    );
  }
});

test('a pause with jitter is the same in each run of a test', async () => {
  const retrier = { ErrorEquals: ['Busy'], IntervalSeconds: 20, JitterStrategy: 'FULL' };
  const definition = {
    StartAt: 'One',
    States: { One: { Type: 'Task', Agent: 'Ask', Retry: [retrier], End: true } },
  };
  const compiled = compile(JSON.stringify(definition), { format: 'asl' });
  const { tests, unreached } = await explore(compiled, { bounds });
  expect(unreached).toEqual([]);
  expect(JSON.stringify(tests)).toContain('task.retried');
  const stage = { name: 'one', definition: compiled, startAt: usualStart };
  for (const each of [...tests, ...tests]) {
    const { failures } = await runTest({ test: each, name: each.name }, stage);
    expect(failures).toEqual([]);
  }
});

test('what is due at once happens at once, so times after a notification are compared', async () => {
  const fates = await fatesIn({
    StartAt: 'Ask',
    States: {
      Ask: {
        Type: 'Approval',
        Prompt: 'Now?',
        Notifications: { Channels: [{ Type: 'slack', Channel: '#desk' }] },
        Timeout: '2h',
        OnTimeout: 'AutoReject',
        ResultPath: '$.answer',
        End: true,
      },
    },
  });
  expect(fates).toContain('found: "Timeout" is "2m" instead of "2h"');
  expect(fates).toContain('found: "OnTimeout" is "AutoApprove" instead of "AutoReject"');
});
