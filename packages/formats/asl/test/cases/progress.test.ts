import type { JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { agentDialect, chain, only, pass, run, type RunOptions, task } from '../run.ts';

/** Section B.14: progress of states and workflows. */

async function reports(definition: JsonObject, options: RunOptions = {}) {
  const { events } = await run(definition, { agents: { A: () => 1 }, ...options });
  return events.filter(({ type }) => type.startsWith('progress.'));
}

const percentages = (told: Awaited<ReturnType<typeof reports>>, of: string) =>
  told.flatMap((event) =>
    event.type === 'progress.updated' && event.of === of ? [[event.state, event.percentage]] : [],
  );

test('a state reports its beginning, its end and its milestones', async () => {
  const milestones = [
    { At: 0, Emit: 'begun' },
    { At: 50, Name: 'half' },
    { At: 100, Name: 'final', Emit: 'done' },
  ];
  const at = '2026-01-20T10:30:00.000Z';
  expect(await reports(only(task({ Progress: { Milestones: milestones } })))).toEqual([
    {
      type: 'progress.updated',
      state: 'S',
      of: 'state',
      percentage: 0,
      startedAt: at,
      updatedAt: at,
    },
    { type: 'progress.milestone', state: 'S', at: 0, emit: 'begun' },
    {
      type: 'progress.updated',
      state: 'S',
      of: 'state',
      percentage: 100,
      startedAt: at,
      updatedAt: at,
    },
    { type: 'progress.milestone', state: 'S', at: 50, name: 'half' },
    { type: 'progress.milestone', state: 'S', at: 100, name: 'final', emit: 'done' },
  ]);
});

test.for([
  [40, { percentage: 40 }],
  [
    { percentage: 62.5, milestone: 'draft', message: 'Two left' },
    { percentage: 62.5, milestone: 'draft', message: 'Two left' },
  ],
  [{ percentage: 1e9 }, { percentage: 100 }],
  ['soon', { percentage: 100 }],
] as const)('an agent says itself how far it is: %j', async ([done, told]) => {
  const workflow = only(task({ Progress: { Path: '$.done' } }));
  const [, last] = await reports(workflow, { agents: { A: () => ({ done }) } });
  expect(last).toMatchObject(told);
});

test('no progress is reported when it is switched off', async () => {
  const workflow = only(task({ Progress: { Enabled: false, Milestones: [{ At: 100 }] } }));
  expect(await reports({ ...workflow, Progress: { Enabled: false } })).toEqual([]);
});

test.for([
  [{}, [25, 50, 100]],
  [{ TotalStates: 3 }, [33.33, 66.67, 100]],
  [{ WeightedProgress: { One: 10, Two: 60, Skipped: 20, Four: 10 } }, [10, 70, 100]],
] as const)('a workflow tells how far it is: %j', async ([progress, expected]) => {
  const workflow = chain({
    One: task(),
    Two: {
      Type: 'Choice',
      Choices: [{ Variable: '$.long', IsPresent: true, Next: 'Skipped' }],
      Default: 'Four',
    },
    Skipped: pass(),
    Four: task(),
  });
  const reported = await reports({ ...workflow, Progress: progress }, { recover: true });
  expect(percentages(reported, 'workflow').map(([, percentage]) => percentage)).toEqual(expected);
});

test('a state that is left again counts once', async () => {
  const workflow = chain({
    Count: pass({ Parameters: { 'n.$': 'States.MathAdd($.n, 1)' } }),
    Again: {
      Type: 'Choice',
      Choices: [{ Variable: '$.n', NumericLessThan: 3, Next: 'Count' }],
      Default: 'End',
    },
    End: pass(),
  });
  const reported = await reports(
    { ...workflow, Progress: {} },
    { input: { n: 0 }, ...agentDialect },
  );
  expect(percentages(reported, 'workflow').map(([, percentage]) => percentage)).toEqual([
    33.33, 66.67, 66.67, 66.67, 66.67, 66.67, 100,
  ]);
});

const branches = [
  chain({ Quick: task() }),
  chain({ First: pass(), Second: pass(), Third: task() }),
];

test.for(['average', 'minimum', 'weighted'] as const)(
  'a Parallel adds up its branches: %s',
  async (aggregation) => {
    for (const fuse of [true, false]) {
      const reported = await reports(
        only({
          Type: 'Parallel',
          Branches: branches,
          Progress: {
            Aggregation: aggregation,
            PerBranch: true,
            Milestones: [{ At: 100, Name: 'all' }],
          },
        }),
        { fuse },
      );
      const updates = reported.flatMap((event) =>
        event.type === 'progress.updated' ? [event] : [],
      );
      for (const { branches: parts, percentage } of updates.slice(1)) {
        const [quick, slow] = parts as [number, number];
        const sums = {
          average: (quick + slow) / 2,
          minimum: Math.min(quick, slow),
          weighted: (quick + 3 * slow) / 4,
        };
        expect(percentage).toBeCloseTo(sums[aggregation], 1);
      }
      expect(updates.at(-1)).toMatchObject({ state: 'S', percentage: 100, branches: [100, 100] });
      expect(updates).toHaveLength(5);
      expect(reported.filter(({ type }) => type === 'progress.milestone')).toHaveLength(1);
    }
  },
);

test('a Map reports the status of its items', async () => {
  const map = {
    Type: 'Map',
    ItemsPath: '$.items',
    ToleratedFailureCount: 1,
    Progress: { Milestones: [{ At: 50, Emit: 'half' }] },
    Iterator: only(task()),
  };
  const fails = (item: number) => {
    if (item === 2) throw new Error('no');
    return item;
  };
  for (const recover of [false, true]) {
    const reported = await reports(only(map), {
      input: { items: [1, 2, 3] },
      agents: { A: fails },
      recover,
    });
    expect(reported).toMatchObject([
      { percentage: 0 },
      {
        state: 'S',
        percentage: 33.33,
        total: 3,
        completed: 1,
        inProgress: 0,
        pending: 2,
        failed: 0,
      },
      { percentage: 66.67, completed: 1, pending: 1, failed: 1 },
      { type: 'progress.milestone', state: 'S', emit: 'half' },
      { percentage: 100, completed: 2, pending: 0, failed: 1 },
    ]);
  }
  const empty = await reports(only(map), { input: { items: [] } });
  expect(percentages(empty, 'state')).toEqual([
    ['S', 0],
    ['S', 100],
  ]);
});
