import { setImmediate } from 'node:timers/promises';
import type { JsonObject, Ports } from '@dramaturg/compiler';
import { spendingPorts } from '@dramaturg/testing';
import { expect, test } from 'vitest';
import { type Agent, chain, only, pass, run, startAt, task } from '../run.ts';

/** Section B.12: budgets that several runs share. */

const costs =
  (cost: number): Agent =>
  () => ({ _cost: cost });

const three = (budget: JsonObject): JsonObject => ({
  Comment: 'Three calls',
  Budget: budget,
  ...chain({ One: task(), Two: task(), Three: task() }),
});

/** A ledger that outlasts runs, and its time. */
function ledger() {
  const time = { now: startAt };
  const counted: number[] = [];
  const { countSpending } = spendingPorts({
    clock: { world: { now: () => time.now, random: Math.random, uuid: () => '' } },
    pools: { small: 1 },
  });
  const ports: Partial<Ports> = {
    countSpending: (input, call) => {
      counted.push(input.cost);
      return countSpending(input, call);
    },
  };
  return { time, ports, total: () => counted.reduce((sum, cost) => sum + cost, 0) };
}

test.for(['MaxCostPerHour', 'MaxCostPerDay'])('%s limits all runs of a workflow', async (limit) => {
  const { time, ports } = ledger();
  const workflow = three({ [limit]: '$1.00' });
  const first = await run(workflow, { agents: { A: costs(0.4) }, ports });
  expect(first.calls).toHaveLength(3);
  expect(first.output).toMatchObject({ status: 'failed', error: 'States.BudgetExceeded' });
  const second = await run(workflow, { agents: { A: costs(0.4) }, ports, start: { id: 'b' } });
  expect(second.calls).toHaveLength(0);
  expect(second.output).toMatchObject({
    error: 'States.BudgetExceeded',
    cause: expect.stringMatching(
      /^The budget is used up: 1.20 of 1.00 USD in this (hour|day)/,
    ) as string,
  });
  time.now += (limit === 'MaxCostPerHour' ? 1 : 24) * 3_600_000 + 60_000;
  const third = await run(workflow, { agents: { A: costs(0.1) }, ports, start: { id: 'c' } });
  expect(third.output).toMatchObject({ status: 'succeeded' });
});

test('a throttled call waits until the hour allows it', async () => {
  const budget = { MaxCostPerHour: '$1.00', OnExceed: 'Throttle', ThrottleDelay: '10m' };
  const { output, calls, seconds } = await run(three(budget), { agents: { A: costs(0.6) } });
  expect(output).toMatchObject({ status: 'succeeded' });
  expect(calls).toHaveLength(3);
  expect(seconds).toBe(4200);
});

test('workflows share a pool, and a run may take a part of it', async () => {
  const { ports } = ledger();
  const agents = { A: costs(0.3) };
  const most = three({ Pool: 'small', MaxFromPool: '$0.50' });
  const first = await run(most, { agents, ports });
  expect(first.calls).toHaveLength(2);
  expect(first.output).toMatchObject({
    cause: expect.stringContaining('0.60 of 0.50 USD') as string,
  });
  const other = { ...three({ Pool: 'small' }), Comment: 'Another workflow' };
  const second = await run(other, { agents, ports, start: { id: 'b' } });
  expect(second.calls).toHaveLength(2);
  expect(second.output).toMatchObject({
    error: 'States.BudgetExceeded',
    cause: expect.stringContaining('1.20 of 1.00 USD in the pool "small"') as string,
  });
});

test.for([
  [{ Pool: 'unknown' }, {}],
  [{ MaxCostPerDay: 1 }, { countSpending: undefined }],
  [{ MaxCostPerDay: 1 }, { countSpending: () => Promise.reject(new Error('The disk is full.')) }],
] as const)('a limit that cannot be counted stops the workflow: %j', async ([budget, ports]) => {
  const { output, calls } = await run(three(budget), {
    agents: { A: costs(0.1) },
    ports: ports as Partial<Ports>,
  });
  expect(output).toMatchObject({ status: 'failed', error: 'States.BudgetNotCounted' });
  expect(calls).toHaveLength(0);
});

test.for([
  ['in a row', three({ MaxCostPerDay: 9 }), 0.3],
  [
    'in items',
    {
      Budget: { MaxCostPerDay: 9 },
      ...only({
        Type: 'Map',
        ItemsPath: '$',
        MaxConcurrency: 2,
        Iterator: { StartAt: 'T', States: { T: task({ End: true }) } },
      }),
    },
    0.3,
  ],
  [
    'in branches',
    {
      Budget: { MaxCostPerDay: 9 },
      ...only({ Type: 'Parallel', Branches: [1, 2, 3].map((n) => chain({ [`T${n}`]: task() })) }),
    },
    0.3,
  ],
  [
    'that fails afterwards',
    {
      Budget: { MaxCostPerDay: 9 },
      ...chain({
        T: task({
          ResultSelector: { 'missing.$': '$.missing' },
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'P' }],
        }),
        P: pass(),
      }),
    },
    0.1,
  ],
] as const)('every cost is counted once, %s', async ([, workflow, total]) => {
  for (const recover of [false, true]) {
    const counted = new Map<string, number>();
    const { ports } = ledger();
    const { output } = await run(workflow, {
      input: [1, 2, 3],
      agents: { A: costs(0.1) },
      recover,
      ports: {
        countSpending: (input, call) => {
          counted.set(input.key, input.cost);
          return ports.countSpending!(input, call);
        },
      },
    });
    expect(output).toMatchObject({ status: 'succeeded' });
    expect([...counted.values()].reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(total);
  }
});

test('what a branch spends while another one counts in vain is counted later', async () => {
  const { ports, total } = ledger();
  const spends = task({
    Agent: 'B',
    ResultSelector: { 'missing.$': '$.missing' },
    Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 60, MaxAttempts: 1 }],
    Catch: [{ ErrorEquals: ['States.ALL'], Next: 'P' }],
  });
  const counts = task({ Catch: [{ ErrorEquals: ['States.BudgetNotCounted'], Next: 'P' }] });
  const workflow = {
    Budget: { MaxCostPerDay: 9 },
    ...only({
      Type: 'Parallel',
      Branches: [counts, spends].map((state) => chain({ T: state, P: pass() })),
    }),
  };
  let hasFailed = false;
  const { output } = await run(workflow, {
    agents: { A: costs(0.1), B: costs(0.2) },
    ports: {
      countSpending: async (input, call) => {
        if (input.cost === 0 || hasFailed) return ports.countSpending!(input, call);
        hasFailed = true;
        // Meanwhile the other branch has called its agent, and waits for its retry.
        await setImmediate();
        throw new Error('The disk is full.');
      },
    },
  });
  expect(output).toMatchObject({ status: 'succeeded' });
  expect(hasFailed).toBe(true);
  expect(total()).toBeCloseTo(0.5);
});

test('the cost of a failed run is counted at its end', async () => {
  const { ports, total } = ledger();
  const workflow = {
    Budget: { MaxCostPerDay: 9 },
    ...only(task({ ResultSelector: { 'missing.$': '$.missing' } })),
  };
  const { output } = await run(workflow, { agents: { A: costs(0.1) }, ports });
  expect(output).toMatchObject({ status: 'failed' });
  expect(total()).toBeCloseTo(0.1);
});
