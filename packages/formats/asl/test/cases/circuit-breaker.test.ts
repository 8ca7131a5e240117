import type { JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { only, run, task } from '../run.ts';

/** Tutorial 11: agents that fail again and again are not called. */

async function callsOf(breaker: JsonObject): Promise<number> {
  let calls = 0;
  const Retry = [
    {
      ErrorEquals: ['Down', 'Agent.CircuitOpen'],
      IntervalSeconds: 1,
      BackoffRate: 1,
      MaxAttempts: 9,
    },
  ];
  const { output } = await run(
    { CircuitBreaker: breaker, ...only(task({ Retry })) },
    {
      agents: {
        A: () => {
          calls += 1;
          throw Object.assign(new Error('no'), { error: 'Down' });
        },
      },
    },
  );
  expect(output).toMatchObject({ status: 'failed' });
  return calls;
}

test('an open circuit makes no calls until its time is up', async () => {
  expect(await callsOf({ FailureThreshold: 3, Timeout: '1h' })).toBe(3);
  expect(await callsOf({ FailureThreshold: 3, Timeout: '5s' })).toBe(4);
  expect(await callsOf({ Enabled: false, FailureThreshold: 3 })).toBe(10);
});
