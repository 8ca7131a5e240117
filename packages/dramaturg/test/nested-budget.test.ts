import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@dramaturg/testing';
import { compile } from 'dramaturg';
import { spendingPorts } from 'dramaturg/ports';
import { expect, test } from 'vitest';
import { dramaturg } from './command.ts';
import { places, Stage } from './host/stage.ts';

/** Definitions that run others on the same pool, or are one of the runs of a workflow: each cost counts once. */

const pay = (Agent: string) => ({ Type: 'Task', Agent, ResultPath: '$.paid' });

/** Pays 4 by running the next definition, or at the innermost by an agent, and then 4 itself. */
const outer = (Comment: string, Budget: object, inner: string) => ({
  Comment,
  Budget,
  StartAt: 'Inner',
  States: {
    Inner: { ...pay(inner), Next: 'Own' },
    Own: { ...pay('Pay'), Next: 'Check' },
    // Its gate compares what is counted with the limits.
    Check: { ...pay('Free'), End: true },
  },
});

const innermost = (Comment: string, Budget: object) => ({
  Comment,
  Budget,
  StartAt: 'Own',
  States: { Own: { ...pay('Pay'), End: true } },
});

const pooled = { Pool: 'shared' };
const hourly = (most: number) => ({ MaxCostPerHour: most });

/** What the definitions spend from the account, and those between them that have no account. */
const families = {
  'a nested run on the same pool': [
    8,
    outer('A', pooled, 'workflow:inner'),
    innermost('B', pooled),
  ],
  'a nested run without a pool': [8, outer('A', pooled, 'workflow:inner'), innermost('B', {})],
  'two levels on the same pool': [
    12,
    outer('A', pooled, 'workflow:middle'),
    innermost('C', pooled),
    outer('B', pooled, 'workflow:inner'),
  ],
  'two levels, the one between without a pool': [
    12,
    outer('A', pooled, 'workflow:middle'),
    innermost('C', pooled),
    outer('B', {}, 'workflow:inner'),
  ],
} as const;

const agents = `export const Pay = () => ({ _cost: 4 });\nexport const Free = () => ({});\n`;

function write(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-nested-budget-'));
  writeFileSync(join(folder, 'agents.mjs'), agents);
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, `${name}.asl.json`), JSON.stringify(content));
  return folder;
}

test.each(Object.entries(families))('%s counts each cost once in run', async (_, family) => {
  const [spent, first, inner, middle] = family;
  const folder = write({ first, inner, ...(middle && { middle }) });
  const run = (size: number) =>
    dramaturg(['run', 'first.asl.json', '--agents', 'agents.mjs', '--pool', `shared=${size}`], {
      cwd: folder,
    });
  expect((await run(spent + 1)).code).toBe(0);
  const exceeded = await run(spent - 0.5);
  expect(exceeded.stdout).toContain('States.BudgetExceeded');
});

test.each(Object.entries(families))('%s counts each cost once in a host', async (_, family) => {
  const [spent, first, inner, middle] = family;
  const texts = { first, inner, ...(middle && { middle }) };
  const definitions = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      compile(JSON.stringify(text), { format: 'asl' }),
    ]),
  );
  let counted = 0;
  const { countSpending } = spendingPorts({ pools: { shared: 100 } });
  const stage = await Stage.open({
    store: places['memory']!(),
    definitions,
    ports: {
      countSpending: async (input, call) => {
        const answer = await countSpending(input, call);
        counted = Math.max(counted, ...answer.accounts.map(({ cost }) => cost));
        return answer;
      },
      runAgent: ({ agent }) => ({ result: {}, ...(agent === 'Pay' && { usage: { cost: 4 } }) }),
    },
    channels: {},
  });
  await stage.host.start('first', { id: 'one' });
  await until(async () => (await stage.host.get('one')).ended, 'the end');
  expect((await stage.host.get('one')).state).toBe('COMPLETED');
  expect(counted).toBe(spent);
});

test('a workflow that runs itself counts each cost once in its hours', async () => {
  const self = {
    ...outer('Self', hourly(100), 'workflow:self'),
    StartAt: 'IsDeep',
  };
  const IsDeep = {
    Type: 'Choice',
    Choices: [{ Variable: '$.deep', BooleanEquals: true, Next: 'Own' }],
    Default: 'Inner',
  };
  const Inner = {
    Type: 'Workflow',
    WorkflowId: 'self',
    Input: { deep: true },
    ResultPath: '$.in',
    Next: 'Own',
  };
  const definition = (most: number) => ({
    ...self,
    Budget: hourly(most),
    States: { ...self.States, IsDeep, Inner },
  });
  const run = (most: number) =>
    dramaturg(['run', 'self.asl.json', '--agents', 'agents.mjs'], {
      cwd: write({ self: definition(most) }),
    });
  const enough = await run(9);
  expect(enough.stdout).not.toContain('States.BudgetExceeded');
  expect(enough.code).toBe(0);
  expect((await run(7.5)).stdout).toContain('States.BudgetExceeded');
});
