import { breakCircuits } from '@dramaturg/host/testing';
import { expect, test } from 'vitest';
import { only, run, startAt, task } from '../run.ts';

/** Tutorial 11: agents that fail again and again are not called. */

const workflow = (breaker: object, retries = 9) => ({
  CircuitBreaker: breaker,
  ...only(
    task({
      Retry: [
        {
          ErrorEquals: ['Down', 'Agent.CircuitOpen'],
          IntervalSeconds: 1,
          BackoffRate: 1,
          MaxAttempts: retries,
        },
      ],
    }),
  ),
});

async function callsOf(breaker: object): Promise<number> {
  let calls = 0;
  let now = startAt;
  const runAgent = breakCircuits(
    () => {
      calls += 1;
      throw Object.assign(new Error('no'), { error: 'Down' });
    },
    () => now,
  );
  const { output } = await run(workflow(breaker), {
    ports: {
      runAgent: (input, call) => {
        now += 1000;
        return runAgent(input, call);
      },
    },
  });
  expect(output).toMatchObject({ status: 'failed' });
  return calls;
}

test('an open circuit makes no calls until its time is up', async () => {
  expect(await callsOf({ FailureThreshold: 3, Timeout: '1h' })).toBe(3);
  expect(await callsOf({ FailureThreshold: 3, Timeout: '5s' })).toBe(4);
  expect(await callsOf({ Enabled: false, FailureThreshold: 3 })).toBe(10);
});
