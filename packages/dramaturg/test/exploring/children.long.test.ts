import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dramaturg, folderWith } from '../command.ts';

const intake = {
  id: 'intake',
  title: 'Intake',
  states: [
    {
      id: 'claim',
      title: 'Claim',
      tasks: [
        {
          id: 'amount',
          description: 'Amount',
          deliverables: [{ key: 'amount', type: 'number', description: 'How much is it?' }],
        },
      ],
    },
  ],
};

const end = { Type: 'Succeed' };

/** Explores `outer.asl.json` beside other definitions, and runs the tests that were generated. */
async function explored(outer: object, others: Readonly<Record<string, object>>, steps = 150) {
  const files = { 'outer.asl.json': outer, ...others };
  const folder = await folderWith(
    Object.fromEntries(
      Object.entries(files).map(([name, definition]) => [name, JSON.stringify(definition)]),
    ),
  );
  const out = 'outer.explored.test.yaml';
  const run = (...args: readonly string[]) => dramaturg(args, { cwd: folder });
  const bounds = ['--max-steps', String(steps), '--seconds', '300'];
  const found = await run('explore', 'outer.asl.json', '--json', '--out', out, ...bounds);
  expect({ code: found.code, stderr: found.stderr }).toEqual({ code: 0, stderr: '' });
  const tested = await run('test', out);
  expect({ code: tested.code, stderr: tested.stderr }).toEqual({ code: 0, stderr: '' });
  const result = JSON.parse(found.stdout) as {
    readonly percent: number;
    readonly called?: readonly string[];
    readonly missing?: readonly string[];
    readonly findings: readonly { readonly code: string }[];
    readonly units: readonly { label: string; kind: string; reached: boolean; reason?: string }[];
  };
  const unreached = result.units.flatMap(({ kind, label, reached }) =>
    reached ? [] : [`${kind} ${label}`],
  );
  return { ...result, unreached, tests: await readFile(join(folder, out), 'utf8') };
}

test('the conversation that a workflow holds is part of the search: its values, its ends, silence and an operator', async () => {
  const { unreached, tests, called } = await explored(
    {
      StartAt: 'Talk',
      States: {
        Talk: {
          Type: 'Task',
          Agent: 'plan:intake',
          TimeoutSeconds: 600,
          ResultPath: '$.said',
          Catch: [
            { ErrorEquals: ['States.Timeout'], Next: 'Late' },
            { ErrorEquals: ['States.TaskFailed'], Next: 'Gone' },
          ],
          Next: 'How much?',
        },
        'How much?': {
          Type: 'Choice',
          Choices: [
            { Variable: '$.said.deliverables.amount', NumericGreaterThan: 100, Next: 'Ask' },
          ],
          Default: 'Small',
        },
        Ask: {
          Type: 'Approval',
          Prompt: 'Pay it?',
          ResultPath: '$.decision',
          Choices: [{ Variable: '$.decision.approval', StringEquals: 'approve', Next: 'Small' }],
          Default: 'Gone',
        },
        Small: end,
        Late: { Type: 'Fail', Error: 'Late' },
        Gone: { Type: 'Fail', Error: 'Gone' },
      },
    },
    { 'intake.plan.json': intake },
  );
  expect(called).toEqual(['intake']);
  // A conversation fails in no other way.
  expect(unreached).toEqual(['condition Talk: catches States.TaskFailed']);
  // The person talks with the plan, and afterwards somebody decides about the workflow.
  expect(tests).toMatch(/- person: "101"\n {8}state: Ask[^]*- decide: approve/);
  expect(tests).toMatch(/- later: "10 minutes"\n {8}unemitted: .*\n {8}state: Late/);
  expect(tests).toMatch(
    /- operator: cancel\n {8}child: intake\n {8}unemitted: .*\n {8}state: Gone/,
  );
});

test('a workflow inside another one fails and succeeds, also three levels down and for items of a list', async () => {
  const { unreached, called } = await explored(
    {
      StartAt: 'All',
      States: {
        All: {
          Type: 'Map',
          ItemsPath: '$.items',
          Iterator: {
            StartAt: 'Each',
            States: { Each: { Type: 'Workflow', WorkflowId: 'middle', End: true } },
          },
          Catch: [{ ErrorEquals: ['Broken'], Next: 'Caught' }],
          Next: 'Done',
        },
        Caught: end,
        Done: end,
      },
    },
    {
      'middle.asl.json': {
        StartAt: 'Call',
        States: { Call: { Type: 'Workflow', WorkflowId: 'inner', End: true } },
      },
      'inner.asl.json': {
        StartAt: 'Check',
        States: {
          Check: { Type: 'Task', Agent: 'Check', ResultPath: '$.ok', Next: 'Ok?' },
          'Ok?': {
            Type: 'Choice',
            Choices: [{ Variable: '$.ok', BooleanEquals: false, Next: 'Fails' }],
            Default: 'Good',
          },
          Fails: { Type: 'Fail', Error: 'Broken' },
          Good: end,
        },
      },
    },
  );
  expect(called).toEqual(['middle', 'inner']);
  expect(unreached).toEqual([]);
});

test('two conversations with one contact come one after another', async () => {
  const talk = (name: string) => ({
    StartAt: name,
    States: { [name]: { Type: 'Task', Agent: 'plan:intake', End: true } },
  });
  const { unreached, tests, findings } = await explored(
    {
      StartAt: 'Both',
      States: {
        Both: { Type: 'Parallel', Branches: [talk('One'), talk('Two')], Next: 'Done' },
        Done: end,
      },
    },
    { 'intake.plan.json': intake },
  );
  expect({ unreached, findings }).toEqual({ unreached: [], findings: [] });
  expect(tests.match(/- person:/g)!.length).toBeGreaterThan(1);
});

test('a lifecycle that runs as an agent gets the events that it names', async () => {
  const parcel = {
    format: 'lifecycle',
    id: 'parcel',
    title: 'Parcel',
    initial: 'SENT',
    states: {
      SENT: { kind: 'waiting', description: 'On its way.' },
      THERE: { kind: 'terminal', description: 'Delivered.' },
      LOST: { kind: 'terminal', description: 'Lost.' },
    },
    transitions: [
      { from: 'SENT', event: 'scan', guard: { event: { door: true } }, to: 'THERE' },
      { from: 'SENT', event: 'report', to: 'LOST' },
    ],
  };
  const { unreached, tests } = await explored(
    {
      StartAt: 'Send',
      States: {
        Send: { Type: 'Task', Agent: 'lifecycle:parcel', ResultPath: '$.parcel', Next: 'Where?' },
        'Where?': {
          Type: 'Choice',
          Choices: [{ Variable: '$.parcel.state', StringEquals: 'THERE', Next: 'Good' }],
          Default: 'Search',
        },
        Good: end,
        Search: end,
      },
    },
    { 'parcel.lifecycle.json': parcel },
  );
  expect(unreached).toEqual([]);
  expect(tests).toMatch(
    /- event: \{ type: scan[^]*child: parcel\n {8}unemitted: .*\n {8}state: Good/,
  );
});

test('what no child can answer is said, and a definition without a file is answered as by an agent', async () => {
  const { unreached, units, called, missing } = await explored(
    {
      StartAt: 'Review',
      States: {
        Review: { Type: 'Workflow', WorkflowId: 'review', ResultPath: '$.review', Next: 'Way' },
        Way: {
          Type: 'Choice',
          Choices: [{ Variable: '$.review.vote', StringEquals: 'yes', Next: 'Good' }],
          Default: 'Talk',
        },
        Talk: { Type: 'Task', Agent: 'plan:nowhere', ResultPath: '$.said', Next: 'Said' },
        Said: {
          Type: 'Choice',
          Choices: [{ Variable: '$.said.outcome', StringEquals: 'cancelled', Next: 'Bad' }],
          Default: 'Fine',
        },
        Good: end,
        Bad: end,
        Fine: end,
      },
    },
    {
      'review.asl.json': {
        StartAt: 'Vote',
        States: { Vote: { Type: 'Pass', Result: { vote: 'no' }, End: true } },
      },
    },
  );
  expect({ called, missing }).toEqual({ called: ['review'], missing: ['nowhere'] });
  expect(unreached).toEqual([
    'transition Way: $.review.vote = "yes"',
    'state Good',
    'transition Good',
  ]);
  expect(units.find(({ label }) => label.startsWith('Way: $.review'))).toMatchObject({
    reason: 'Its condition was asked and never held.',
  });
});

test('a workflow that runs itself without an end is explored, and ends at the depth of a host', async () => {
  const { unreached, tests } = await explored(
    {
      StartAt: 'Again',
      States: { Again: { Type: 'Workflow', WorkflowId: 'outer', End: true } },
    },
    {},
  );
  expect(unreached).toEqual(['transition Again']);
  expect(tests).toContain('error: States.NestingLimitExceeded');
});

test('more children than the search follows are a bound, and not a finding', async () => {
  const items = Array.from({ length: 80 }, (_, index) => index);
  const { findings, units } = await explored(
    {
      StartAt: 'Many',
      States: {
        Many: { Type: 'Pass', Result: items, Next: 'All' },
        All: {
          Type: 'Map',
          ItemsPath: '$',
          Iterator: {
            StartAt: 'Each',
            States: { Each: { Type: 'Task', Agent: 'plan:intake', End: true } },
          },
          Next: 'Done',
        },
        Done: end,
      },
    },
    { 'intake.plan.json': intake },
  );
  expect(findings).toEqual([]);
  expect(units.find(({ label }) => label === 'Done')).toMatchObject({
    reached: false,
    reason:
      'No transition into it was taken. The search has ended at its bound: a higher one may reach it.',
  });
});

test('a condition that always holds is unreachable with the reason, and does not count', async () => {
  const { units, percent } = await explored(
    {
      StartAt: 'Talk',
      States: {
        Talk: {
          Type: 'Task',
          Agent: 'plan:intake',
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Gone' }],
          Next: 'Done',
        },
        Gone: end,
        Done: end,
      },
    },
    { 'intake.plan.json': intake },
    600,
  );
  expect(units.find(({ kind }) => kind === 'condition')).toMatchObject({
    label: 'Talk: catches States.ALL',
    reached: false,
    unreachable: true,
    reason:
      'Its condition held whenever it was asked. Every move was tried, so no test shows it false: it does not count.',
  });
  expect(percent).toBe(100);
});
