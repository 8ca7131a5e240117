import { describe, expect, test } from 'vitest';
import { dramaturg, eventsOf, folderWith, smallPlan } from './command.ts';

/** Every way in which a workflow may name an agent: a definition runs or fails, and never returns its input. */

const calls = (agent: string) =>
  JSON.stringify({ StartAt: 'A', States: { A: { Type: 'Task', Agent: agent, End: true } } });

const parcel = JSON.stringify({
  initial: 'ORDERED',
  terminal: ['DELIVERED', 'LOST'],
  states: ['ORDERED', 'DELIVERED', 'LOST'],
  transitions: [
    { from: 'ORDERED', event: 'deliver', to: 'DELIVERED' },
    {
      from: 'ORDERED',
      event: 'lose',
      to: 'LOST',
      actions: [{ record_failure: 'the parcel is lost' }],
    },
    { from: 'ORDERED', event: 'cancel', to: 'LOST', actions: [{ record_failure: 'cancelled' }] },
  ],
});

const endings = [
  ['deliver', /"status":"succeeded","output":\{"instance":.*"state":"DELIVERED"/],
  ['lose', /"error":"States\.TaskFailed","cause":"[^}]*the parcel is lost/],
] as const;

test.for(endings)('a lifecycle that a workflow calls runs below it: %s', async ([event, told]) => {
  const folder = await folderWith({
    'main.asl.json': calls('lifecycle:parcel'),
    'parcel.lifecycle.json': parcel,
  });
  const cwd = { cwd: folder };
  const input = '{"weight": 3}';
  const started = await dramaturg(
    ['start', 'runs', 'main.asl.json', '--id', 'm', '--contact', 'ada', '--input', input],
    cwd,
  );
  expect(started).toMatchObject({ code: 0, stdout: '✓ m: RUNNING\n' });
  const listed = await dramaturg(['ps', 'runs', '--json'], cwd);
  const { instances } = JSON.parse(listed.stdout) as {
    instances: { id: string; state: string }[];
  };
  const child = instances.find(({ id }) => id.startsWith('m.'))!;
  expect(child).toMatchObject({ state: 'ORDERED' });
  await dramaturg(['send', 'runs', child.id, '--event', JSON.stringify({ type: event })], cwd);
  const { stdout } = await dramaturg(['logs', 'runs', 'm', '--journal'], cwd);
  expect(stdout).toMatch(told);
  expect(stdout).not.toContain('"output":{"weight":3}');
});

describe('without a host', () => {
  const files = {
    'parcel.lifecycle.json': parcel,
    'small.plan.json': smallPlan(),
  };

  test.for([
    ['lifecycle:parcel', /"lifecycle:parcel".*"dramaturg start"/],
    ['plan:small', /"plan:small".*"dramaturg start"/],
    ['lifecycle:nothing', /no definition "nothing"/],
    ['plan:nothing', /no definition "nothing"/],
    ['npc:nothing', /no definition "nothing"/],
    ['scenario:nothing', /no definition "nothing"/],
    ['asl:nothing', /no definition "nothing"/],
    ['workflow:nothing', /no definition "nothing"/],
    ['context-graph:nothing', /no definition "nothing"/],
    ['graph:nothing', /no definition "nothing"/],
    ['definition:nothing', /no definition "nothing"/],
    ['lifecylce:parcel', /Did you mean "lifecycle:parcel"\?/],
    ['Plan:small', /Did you mean "plan:small"\?/],
    ['wrokflow:small', /Did you mean "workflow:small"\?/],
    ['lifecycle:', /names no definition/],
    ['plan:', /names no definition/],
  ] as const)('%s is an error of the state, in a run and in a store', async ([agent, cause]) => {
    const folder = await folderWith({ ...files, 'main.asl.json': calls(agent) });
    const cwd = { cwd: folder };
    const ran = await dramaturg(['run', 'main.asl.json', '--json'], cwd);
    expect(eventsOf(ran.stdout).at(-1)).toMatchObject({
      status: 'failed',
      error: 'States.AgentNotFound',
      cause: expect.stringMatching(cause) as string,
    });
    if (!agent.startsWith('l')) return;
    if (String(cause).includes('start')) return;
    const started = await dramaturg(['start', 'runs', 'main.asl.json', '--id', 'm'], cwd);
    expect(started.stdout).toContain('✗ m: FAILED');
    expect(started.stdout).toMatch(cause);
  });

  test.for(['Summarise', 'arn:aws:lambda:eu-west-1:1:function:f', 'team:writer', 'a:b:c'])(
    '%s is no definition: without agents, the task returns its input',
    async (agent) => {
      const folder = await folderWith({ 'main.asl.json': calls(agent) });
      const ran = await dramaturg(['run', 'main.asl.json', '--json', '--input', '{"n":1}'], {
        cwd: folder,
      });
      expect(eventsOf(ran.stdout).at(-1)).toMatchObject({ status: 'succeeded', output: { n: 1 } });
    },
  );
});

test('a check reports agents whose definitions are missing', async () => {
  const debate = {
    Type: 'Debate',
    Agents: ['asl:one', 'Somebody'],
    Topic: 'tea',
    Rounds: 1,
    Consensus: { Method: 'voting', VotingAgents: ['scenario:two'], TieBreaker: 'wrokflow:there' },
    Next: 'Talk',
  };
  const folder = await folderWith({
    'main.asl.json': JSON.stringify({
      Comment: 'plan: talk, then write',
      StartAt: 'Discuss',
      States: {
        Discuss: debate,
        Talk: { Type: 'Task', Agent: 'plan:there', Next: 'Sub' },
        Sub: { Type: 'Workflow', WorkflowId: 'three', Next: 'Track' },
        Track: { Type: 'Task', Agent: 'lifecycle:four', End: true },
      },
    }),
    'there.plan.json': smallPlan(),
  });
  const { stdout, code } = await dramaturg(['check', 'main.asl.json', '--json'], { cwd: folder });
  const [{ diagnostics }] = (
    JSON.parse(stdout) as {
      files: [{ diagnostics: { code: string; severity: string; path: unknown[] }[] }];
    }
  ).files;
  expect(code).toBe(0);
  const found = diagnostics.filter((each) => each.code === 'asl/unknown-definition');
  expect(found.map(({ path }) => path.join('.')).toSorted()).toEqual([
    'States.Discuss.Agents.0',
    'States.Discuss.Consensus.TieBreaker',
    'States.Discuss.Consensus.VotingAgents.0',
    'States.Sub.WorkflowId',
    'States.Track.Agent',
  ]);
  expect(found.every(({ severity }) => severity === 'warning')).toBe(true);
});
