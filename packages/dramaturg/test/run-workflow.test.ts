import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@dramaturg/testing';
import { compile, createHost, lowdbStore } from 'dramaturg';
import { expect, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { dramaturg } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'dramaturg-run-workflow-'));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const workflow = file('letter.asl.json', {
  Comment: 'A letter',
  StartAt: 'Write',
  States: {
    Write: {
      Type: 'Task',
      Agent: 'Writer',
      Retry: [{ ErrorEquals: ['Tired'], IntervalSeconds: 3600 }],
      Next: 'Ask',
    },
    Ask: {
      Type: 'Approval',
      Prompt: 'Send it?',
      ResultPath: '$.decision',
      Choices: [{ Variable: '$.decision.approval', StringEquals: 'approve', Next: 'Send' }],
      Default: 'Burn',
    },
    Send: { Type: 'Succeed', OutputPath: '$.text' },
    Burn: { Type: 'Fail', Error: 'Burnt', Cause: 'Nobody liked it' },
  },
});

const agents = file(
  'agents.mjs',
  `let calls = 0;
export default {
  Writer: ({ to }) => {
    calls += 1;
    if (calls === 1) throw Object.assign(new Error('no'), { error: 'Tired' });
    return { text: 'Dear ' + to };
  },
};`,
);

const run = (...more: string[]) => dramaturg(['run', workflow, '--no-wait', ...more]);
const asked = ['--agents', agents, '--input', '{"to": "Ada"}'];
const approve = file('approve.txt', 'approve\n');
const reject = file('reject.txt', 'reject\n');

test('a workflow that succeeds shows its steps and its output, and exits with 0', async () => {
  const { stdout, code } = await run(...asked, '--script', approve);
  expect(stdout).toContain('> Write Task');
  expect(stdout).toContain('! Tired: no. Tries again in 3600 seconds.');
  expect(stdout).toContain('? Send it?');
  expect(stdout).toMatch(/succeeded\n"Dear Ada"\n$/);
  expect(code).toBe(0);
});

test('one that fails says why, and exits with 4', async () => {
  const { stdout, code } = await run(...asked, '--script', reject);
  expect(stdout).toMatch(/failed in Burn, line \d+: Burnt: Nobody liked it\.\n$/);
  expect(code).toBe(4);
});

test('an error that is caught has a line with the state that failed, and the one that comes next', async () => {
  const branch = {
    StartAt: 'Risk',
    States: { Risk: { Type: 'Fail', Error: 'Nope', Cause: 'No.' } },
  };
  const definition = file(
    'caught.asl.json',
    JSON.stringify({
      StartAt: 'Both',
      States: {
        Both: {
          Type: 'Parallel',
          Branches: [branch],
          Catch: [{ ErrorEquals: ['Nope'], Next: 'Rescue' }],
          End: true,
        },
        Rescue: { Type: 'Pass', End: true },
      },
    }),
  );
  const { stdout, code } = await dramaturg(['run', definition]);
  expect(stdout).toContain('! Risk: Nope: No. Both catches it. Continues with Rescue.\n');
  expect(code).toBe(0);
});

test('caught errors of many items are the first three and one sum, also in the transcript of a host', async ({
  skip,
}) => {
  skip(!runsAll);
  const fail = (Error: string) => ({ Type: 'Fail', Error });
  const text = JSON.stringify({
    StartAt: 'All',
    States: {
      All: {
        Type: 'Map',
        ItemsPath: '$.items',
        Iterator: {
          StartAt: 'Check',
          States: {
            Check: {
              Type: 'Parallel',
              Branches: [
                {
                  StartAt: 'Even',
                  States: {
                    Even: {
                      Type: 'Choice',
                      Choices: [{ Variable: '$', NumericLessThan: 250, Next: 'Low' }],
                      Default: 'High',
                    },
                    Low: fail('TooLow'),
                    High: fail('TooHigh'),
                  },
                },
              ],
              Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Skip' }],
              End: true,
            },
            Skip: { Type: 'Pass', End: true },
          },
        },
        End: true,
      },
    },
  });
  const input = { items: Array.from({ length: 1_000 }, (_, index) => index) };
  const sum = 'Check has failed for 1000 items: TooLow (250), TooHigh (750)';
  const path = file('many.asl.json', text);
  const { stdout } = await dramaturg(['run', path, '--input', file('many.json', input)]);
  const lines = stdout.split('\n').filter((line) => line.includes('Check'));
  expect(lines.filter((line) => line.includes('catches it'))).toHaveLength(3);
  expect(lines).toContain(`! ${sum}.`);

  const host = await createHost({
    store: lowdbStore(join(folder, 'many')),
    definitions: { many: compile(text) },
  });
  const { id } = await host.start('many', { input: { input } });
  await until(async () => (await host.get(id)).ended, 'the end of the items');
  const transcript = await host.transcript(id, { from: 0, limit: 500 });
  const said = transcript.map((line) => line.text);
  expect(said.filter((line) => line.startsWith('Check'))).toEqual([
    expect.stringContaining('Check [0] catches TooLow'),
    expect.stringContaining('Check [1] catches TooLow'),
    expect.stringContaining('Check [2] catches TooLow'),
    sum,
  ]);
  await host.stop();
});

test('a workflow that waits for a missing person exits with 5', async () => {
  const { stdout, code } = await run(...asked);
  expect(stdout).toMatch(/unfinished /);
  expect(code).toBe(5);
});

test('--json prints each event as a line, the outcome last', async () => {
  const { stdout } = await run(...asked, '--script', approve, '--json');
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string });
  expect(events[0]).toMatchObject({ type: 'state.entered', state: 'Write', kind: 'Task' });
  expect(events.at(-1)).toEqual({
    type: 'workflow.ended',
    status: 'succeeded',
    output: 'Dear Ada',
  });
});

test('without agents every task hands its input back', async () => {
  const given = ['--input', '{"text": "Hi"}', '--script', approve];
  expect((await run(...given)).stdout).toMatch(/succeeded\n"Hi"\n$/);
});

test('a worker takes what an activity has to do, and a token completes its task', async () => {
  const activity = 'arn:aws:states:eu-west-1:123456789012:activity:sign';
  const queue = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';
  const signed = file('signed.asl.json', {
    StartAt: 'Sign',
    States: {
      Sign: { Type: 'Task', Resource: activity, ResultPath: '$.signature', Next: 'Stamp' },
      Stamp: {
        Type: 'Task',
        Resource: queue,
        Parameters: { 'token.$': '$$.Task.Token' },
        ResultPath: '$.stamp',
        End: true,
      },
    },
  });
  const workers = file(
    'workers.mjs',
    `export default {
      '${activity}': () => 'Ada',
      '${queue}': ({ token }, { complete }) => {
        setTimeout(() => complete({ type: 'task.succeeded', token, output: 'official' }), 5);
      },
    };`,
  );
  const { stdout, code } = await dramaturg(['run', signed, '--agents', workers, '--json']);
  expect(stdout).toContain('"output":{"signature":"Ada","stamp":"official"}');
  expect(code).toBe(0);
});

test.for([
  [['--agents', join(folder, 'nobody.mjs')], /There is no file/],
  [['--agents', file('broken.mjs', 'export const')], /cannot be loaded/],
  [['--agents', file('empty.mjs', 'export const text = 1;')], /There are no agents/],
  [
    ['--agents', file('broken-tool.mjs', 'export const tools = { look: {} };')],
    /The tool "look" in .* is not a function/,
  ],
  [['--input', '{"to":'], /--input is not JSON/],
  [['--input', join(folder, 'nothing.json')], /There is no file/],
] as const)('%j is a mistake in the call', async ([options, message]) => {
  const { stderr, code } = await run(...options);
  expect(stderr).toMatch(message);
  expect(stderr).toContain('hint: ');
  expect(code).toBe(2);
});

test('an agent that nobody has written fails its task by name, with the nearest one', async () => {
  const others = file('others.mjs', 'export const Writter = () => 1;');
  const { stdout, code } = await run('--agents', others);
  expect(stdout).toContain('exports no agent "Writer"');
  expect(stdout).toContain('Did you mean "Writter"?');
  expect(code).toBe(4);
});

test('the tools of the module are used for agents, if their arguments fit', async () => {
  const looking = file('looking.asl.json', {
    StartAt: 'Look',
    States: { Look: { Type: 'Task', Agent: 'Reader', Tools: { Denied: ['shell'] }, End: true } },
  });
  const withTools = file(
    'tools.mjs',
    `export const Reader = (_, { toolResults }) =>
      toolResults.length > 0
        ? toolResults.map(({ result, error }) => result ?? error)
        : { toolCalls: [
            { name: 'look', arguments: { page: 2 } },
            { name: 'add', arguments: { a: 'x' } },
            { name: 'shell', arguments: {} },
          ] };
    Reader.enforces = ['Tools'];
    export const tools = {
      look: ({ page }, { key }) => 'page ' + page + (key ? '' : ' without a key'),
      add: {
        parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
        run: ({ a }) => a + 1,
      },
    };`,
  );
  const { stdout, code } = await dramaturg(['run', looking, '--agents', withTools, '--json']);
  const ended = stdout.trim().split('\n').at(-1)!;
  expect(JSON.parse(ended)).toMatchObject({
    output: [
      'page 2',
      expect.stringContaining('The arguments of the tool "add" do not fit its schema.'),
      'The tool "shell" may not be used.',
    ],
  });
  expect(code).toBe(0);
});

interface Kept {
  readonly memories: readonly unknown[];
}

test('a store remembers from one command to the next', async () => {
  const counting = file('counting.asl.json', {
    Comment: 'Count',
    StartAt: 'Count',
    States: {
      Count: {
        Type: 'Task',
        Agent: 'Counter',
        Memory: { Read: { Keys: ['count'], Default: 0 }, Write: { Key: 'count', 'Value.$': '$' } },
        End: true,
      },
    },
  });
  const counter = file('counter.mjs', 'export const Counter = ({ _memory }) => _memory.count + 1;');
  for (const store of ['lowdb', 'sqlite']) {
    const kept = join(folder, `kept-${store}`);
    for (const count of [1, 2]) {
      const start = ['start', kept, counting, '--agents', counter, '--id', `run-${count}`];
      // oxlint-disable-next-line no-await-in-loop -- One after the other is what is tested.
      const { code } = await dramaturg([...start, '--store', store]);
      expect(code).toBe(0);
    }
    const { memories } = JSON.parse(readFileSync(join(kept, 'memory.json'), 'utf8')) as Kept;
    expect(memories).toMatchObject([{ namespace: 'Count', name: 'count', parts: [{ value: 2 }] }]);
  }
});

test('a guardrail that needs a model stops a run without one, and check says so', async () => {
  const guarded = file('guarded.asl.json', {
    StartAt: 'Answer',
    States: {
      Answer: {
        Type: 'Task',
        Agent: 'Clerk',
        Guardrails: {
          Input: { Rules: [{ Type: 'semantic', Check: 'It is lawful.', Action: 'block' }] },
        },
        End: true,
      },
    },
  });
  const clerk = file('clerk.mjs', 'export const Clerk = () => "Of course";');
  for (const more of [[], ['--agents', clerk]]) {
    const given = ['--input', '{"text": "Help me rob a bank"}', ...more];
    const { stdout, code } = await dramaturg(['run', guarded, ...given]);
    expect(stdout).toContain(
      'failed in Answer, line 1: Agent.GuardrailNotJudged: The input could not be judged',
    );
    expect(stdout).toContain('Use a model: --model');
    expect(code).toBe(4);
  }
  const checked = await dramaturg(['check', guarded]);
  expect(checked.stdout).toContain('A model has to judge "It is lawful."');
});

test('a pool has the size that is given, and limits a run', async () => {
  const pooled = file('pooled.asl.json', {
    Comment: 'Pooled',
    Budget: { Pool: 'research' },
    StartAt: 'One',
    States: {
      One: { Type: 'Task', Agent: 'Clerk', Next: 'Two' },
      Two: { Type: 'Task', Agent: 'Clerk', End: true },
    },
  });
  const clerk = file('paid-clerk.mjs', 'export const Clerk = () => ({ _cost: 1 });');
  const runPooled = (...more: string[]) => dramaturg(['run', pooled, '--agents', clerk, ...more]);
  expect((await runPooled('--pool', 'research=9')).code).toBe(0);
  expect((await runPooled('--pool', 'research=1')).stdout).toContain(
    'failed in Two, line 1: States.BudgetExceeded: The budget is used up: 1.00 of 1.00 USD in the pool "research".',
  );
  const unknown = await runPooled();
  expect(unknown.stdout).toContain('failed States.BudgetNotCounted');
  expect(unknown.stdout).toContain('--pool research=100');
  expect((await runPooled('--pool', 'research')).code).toBe(2);
});

const unset = file('unset.asl.json', {
  StartAt: 'Echo',
  States: { Echo: { Type: 'Task', Agent: 'Echo', Parameters: { 'x.$': '$.nope' }, End: true } },
});

test('a path to nothing fails, or is null with --missing null or --option missing=null', async () => {
  const fails = await dramaturg(['run', unset]);
  expect(fails.stdout).toContain('States.ParameterPathFailure');
  expect(fails.stdout).toContain('hint: Give the path a value, or add --missing null');
  expect(fails.code).toBe(4);
  for (const option of [
    ['--missing', 'null'],
    ['--option', 'missing=null'],
  ]) {
    const { stdout, code } = await dramaturg(['run', unset, ...option]);
    expect(stdout).toMatch(/succeeded\n\{\n  "x": null\n\}\n$/);
    expect(code).toBe(0);
  }
});

test('a durable run keeps the rule about missing paths that it was started with', async () => {
  const waiting = file('waiting.asl.json', {
    StartAt: 'Ask',
    States: {
      Ask: { Type: 'Approval', Prompt: 'Go on?', ResultPath: '$.r', Next: 'Read' },
      Read: { Type: 'Pass', Parameters: { 'x.$': '$.nope' }, End: true },
    },
  });
  const store = join(folder, 'missing-store');
  for (const [id, ...option] of [['strict'], ['lenient', '--missing', 'null']]) {
    const { code } = await dramaturg(['start', store, waiting, '--id', id!, ...option]);
    expect(code).toBe(0);
  }
  const strict = await dramaturg(['decide', store, 'strict', 'approve']);
  expect(strict.stdout).toContain('strict: FAILED');
  const lenient = await dramaturg(['decide', store, 'lenient', 'approve']);
  expect(lenient.stdout).toContain('lenient: COMPLETED');
  const known = await dramaturg(['start', store, 'waiting', '--missing', 'null']);
  expect(known.code).toBe(2);
  expect(known.stderr).toContain('Leave out --option and --missing');
});

test('a conversation and a workflow of Amazon have no rule about missing paths', async () => {
  const plan = await dramaturg(['check', 'customer-intake.plan.json', '--missing', 'null']);
  expect(plan.code).toBe(2);
  expect(plan.stderr).toContain('"missing"');
  const resource = { Type: 'Task', Resource: 'arn:aws:lambda:us-east-1:1:function:f', End: true };
  const amazon = file('amazon.asl.json', { StartAt: 'S', States: { S: resource } });
  const refused = await dramaturg(['run', amazon, '--missing', 'null']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('asl/missing-in-amazon');
});

test('a number of the input that loses digits is named', async () => {
  const given = file(
    'id.json',
    '{\n  "id": 12345678901234567, "text": "x", "n": 1.5, "safe": 5890840712243077\n}',
  );
  const pass = file('pass.asl.json', { StartAt: 'A', States: { A: { Type: 'Pass', End: true } } });
  const { code, stderr } = await dramaturg(['run', pass, '--input', given]);
  expect(code).toBe(0);
  expect(stderr).toBe(
    `warning: "${given}": line 2, column 9: The number 12345678901234567 loses digits: it is read as 12345678901234568. Write it in quotes if every digit matters.\n`,
  );
  const exact = ['run', pass, '--input', '{"id": 5890840712243077, "text": "12345678901234567"}'];
  expect((await dramaturg(exact)).stderr).toBe('');
});
