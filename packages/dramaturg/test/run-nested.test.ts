import { expect, test } from 'vitest';
import { dramaturg, eventsOf, folderWith, smallPlan } from './command.ts';

const workflow = (state: object) => JSON.stringify({ StartAt: 'A', States: { A: state } });
const runs = (name: string, more: object = {}) =>
  workflow({ Type: 'Workflow', WorkflowId: name, End: true, ...more });

test('a workflow runs another that lies beside it, or is given', async () => {
  const pass = (result: string) => workflow({ Type: 'Pass', Result: result, End: true });
  const folder = await folderWith({
    'outer.asl.json': runs('inner'),
    'inner.asl.json': pass('beside'),
    'other.asl.json': pass('given'),
  });
  const beside = await dramaturg(['run', 'outer.asl.json', '--json'], { cwd: folder });
  expect(eventsOf(beside.stdout).at(-1)).toMatchObject({ status: 'succeeded', output: 'beside' });
  expect(eventsOf(beside.stdout)).toContainEqual({
    type: 'state.entered',
    state: 'A',
    kind: 'Pass',
    input: {},
    depth: 1,
  });
  const given = ['run', 'outer.asl.json', '--json', '--definition', 'inner=other.asl.json'];
  expect(eventsOf((await dramaturg(given, { cwd: folder })).stdout).at(-1)).toMatchObject({
    output: 'given',
  });
});

test('what fails within fails the call under its own name, and can be caught', async () => {
  const folder = await folderWith({
    'outer.asl.json': JSON.stringify({
      StartAt: 'A',
      States: {
        A: {
          Type: 'Workflow',
          WorkflowId: 'inner',
          Catch: [{ ErrorEquals: ['Broken'], Next: 'B' }],
          End: true,
        },
        B: { Type: 'Pass', End: true },
      },
    }),
    'inner.asl.json': workflow({ Type: 'Fail', Error: 'Broken', Cause: 'on purpose' }),
    'circle.asl.json': runs('circle'),
    'bad.asl.json': runs('worse'),
    'worse.asl.json': workflow({ Type: 'Task', Agent: 'X', Next: 'Nowhere' }),
  });
  const caught = await dramaturg(['run', 'outer.asl.json', '--json'], { cwd: folder });
  expect(eventsOf(caught.stdout).at(-1)).toMatchObject({
    status: 'succeeded',
    output: { error: { Error: 'Broken', Cause: 'on purpose' } },
  });
  const circle = await dramaturg(['run', 'circle.asl.json'], { cwd: folder });
  expect(circle.code).toBe(4);
  expect(circle.stdout).toContain('States.NestingLimitExceeded');
  expect(await dramaturg(['run', 'bad.asl.json'], { cwd: folder })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nowhere'),
  });
});

test('an approval within another workflow is asked for at the terminal', async () => {
  const folder = await folderWith({
    'outer.asl.json': runs('inner'),
    'inner.asl.json': workflow({ Type: 'Approval', Prompt: 'Really?', End: true }),
  });
  const ran = await dramaturg(['run', 'outer.asl.json'], { cwd: folder, input: 'approve\n' });
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('? Really?') });
});

test('a run that is started from a file has what it runs stored with it', async () => {
  const folder = await folderWith({
    'outer.asl.json': JSON.stringify({
      StartAt: 'Ask',
      States: {
        Ask: { Type: 'Approval', Prompt: 'Go on?', ResultPath: null, Next: 'A' },
        A: { Type: 'Workflow', WorkflowId: 'inner', End: true },
      },
    }),
    'inner.asl.json': workflow({ Type: 'Pass', Result: 'from the store', End: true }),
  });
  const cwd = { cwd: folder };
  await dramaturg(['start', 'runs', 'outer.asl.json', '--id', 'outer'], cwd);
  // Another process, which was given no definition at all.
  expect(await dramaturg(['decide', 'runs', 'outer', 'approve'], cwd)).toMatchObject({ code: 0 });
  const { stdout } = await dramaturg(['logs', 'runs', 'outer', '--journal'], cwd);
  expect(stdout).toContain('"status":"succeeded","output":"from the store"');
  expect((await dramaturg(['ps', 'runs', '--all'], cwd)).stdout).toMatch(/^outer .*\n└ \./m);
});

test('a conversation that a workflow runs lies beside it, and is held with its contact', async () => {
  const folder = await folderWith({
    'main.asl.json': workflow({ Type: 'Task', Agent: 'plan:small', End: true }),
    'small.plan.json': smallPlan(),
  });
  const cwd = { cwd: folder };
  const start = ['start', 'runs', 'main.asl.json', '--id', 'm', '--contact', 'maria'];
  const started = await dramaturg(start, cwd);
  expect(started).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^maria: .*your name\?/s),
  });
  expect((await dramaturg(['ps', 'runs', '--all'], cwd)).stdout).toMatch(/^m .*\n└ \./m);
  const ran = await dramaturg(['run', 'main.asl.json'], cwd);
  expect(ran.code).toBe(4);
  expect(ran.stdout).toContain(
    'Use "dramaturg start" instead: it also runs conversations and lifecycles',
  );
});

test('definitions are found wherever a workflow names agents', async () => {
  const answers = (result: object) =>
    JSON.stringify({
      StartAt: 'Answer',
      States: { Answer: { Type: 'Pass', Result: result, End: true } },
    });
  const discusses = {
    Type: 'Debate',
    Agents: ['workflow:one', 'workflow:two'],
    Topic: 'tea',
    Rounds: 1,
    Consensus: {
      Method: 'voting',
      VotingAgents: ['workflow:voter', 'workflow:one'],
      TieBreaker: 'workflow:breaker',
    },
    Next: 'Write',
  };
  const writes = {
    Type: 'Task',
    Agent: 'Writer',
    Context: { Strategy: 'summarize', Summarize: { Using: 'workflow:clerk', When: 'Always' } },
    Guardrails: { Output: { Rules: [{ Type: 'custom', Agent: 'workflow:judge' }] } },
    End: true,
  };
  const folder = await folderWith({
    'outer.asl.json': JSON.stringify({
      StartAt: 'Discuss',
      States: { Discuss: discusses, Write: writes },
    }),
    'one.asl.json': answers({ response: 'green', vote: 'green' }),
    'two.asl.json': answers({ response: 'black', vote: 'black' }),
    'voter.asl.json': answers({ vote: 'black' }),
    'breaker.asl.json': answers({ decision: 'green' }),
    'clerk.asl.json': answers({ summary: 'They talked.' }),
    'judge.asl.json': answers({ valid: true }),
    'agents.js': 'export const Writer = () => "written";',
  });
  const ran = await dramaturg(['run', 'outer.asl.json', '--json', '--agents', 'agents.js'], {
    cwd: folder,
  });
  const events = eventsOf(ran.stdout);
  expect(events.at(-1)).toMatchObject({ status: 'succeeded', output: 'written' });
  expect(events.filter(({ type, depth }) => type === 'state.entered' && depth === 1)).toHaveLength(
    7,
  );
});

test.for([
  ['the understudy', []],
  ['a module', ['--agents', 'agents.js']],
] as const)(
  'a definition that is nowhere fails the call, and is not played by %s',
  async ([, agents]) => {
    const folder = await folderWith({
      'main.asl.json': workflow({ Type: 'Task', Agent: 'plan:intake', End: true }),
      'agents.js': 'export const Writer = () => "written";',
    });
    const cwd = { cwd: folder };
    const because =
      'There is no definition "intake" for the agent "plan:intake". Put its file in the folder';
    const ran = await dramaturg(['run', 'main.asl.json', '--json', ...agents], cwd);
    expect(eventsOf(ran.stdout).at(-1)).toMatchObject({
      error: 'States.AgentNotFound',
      cause: expect.stringContaining(because),
    });
    const started = await dramaturg(
      ['start', 'runs', 'main.asl.json', '--id', 'm', ...agents],
      cwd,
    );
    expect(started.stdout).toContain('✗ m: FAILED');
    expect(started.stdout).toContain(because);
  },
);

test.for(['run', 'start'])('what runs within has used input and output: %s', async (command) => {
  const runsWithin = (Budget: object, next: object) => ({
    Type: 'Task',
    Agent: 'workflow:inner',
    Budget,
    ...next,
  });
  const folder = await folderWith({
    'outer.asl.json': JSON.stringify({
      StartAt: 'A',
      States: {
        A: runsWithin({ MaxOutputTokens: 100 }, { Next: 'B' }),
        B: runsWithin({ MaxInputTokens: 100 }, { End: true }),
      },
    }),
    'inner.asl.json': workflow({ Type: 'Task', Agent: 'Spender', End: true }),
    'agents.js': 'export const Spender = () => ({ _usage: { input: 500, output: 10 } });',
  });
  const given = command === 'run' ? ['outer.asl.json'] : ['runs', 'outer.asl.json'];
  const ran = await dramaturg([command, ...given, '--agents', 'agents.js'], { cwd: folder });
  expect(ran.stdout).toContain('The state "B" has used 500 of 100 input tokens.');
});

test('what is left of a budget ends what runs within', async () => {
  const spend = (next: object) => ({ Type: 'Task', Agent: 'Spender', ...next });
  const folder = await folderWith({
    'outer.asl.json': JSON.stringify({
      Budget: { MaxTokens: 1000 },
      StartAt: 'A',
      States: { A: { Type: 'Workflow', WorkflowId: 'inner', End: true } },
    }),
    'inner.asl.json': JSON.stringify({
      StartAt: 'One',
      States: {
        One: spend({ Next: 'Two' }),
        Two: spend({ Next: 'Three' }),
        Three: spend({ Next: 'Four' }),
        Four: spend({ End: true }),
      },
    }),
    'agents.js': 'export const Spender = () => ({ _tokens: 400 });',
  });
  const ran = await dramaturg(['run', 'outer.asl.json', '--json', '--agents', 'agents.js'], {
    cwd: folder,
  });
  expect(ran.code).toBe(4);
  const events = eventsOf(ran.stdout);
  expect(events.filter(({ type }) => type === 'state.entered').map(({ state }) => state)).toEqual([
    'A',
    'One',
    'Two',
    'Three',
    'Four',
  ]);
  expect(events.at(-1)).toMatchObject({
    status: 'failed',
    error: 'States.BudgetExceeded',
    cause: 'The budget is used up: 1200 of 1000 tokens.',
    costs: { total: { tokens: 1200 } },
  });
});
