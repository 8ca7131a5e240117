import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { dramaturg, examples, folderWith, type Result } from './command.ts';

const intake = 'customer-intake.plan.json';
const script = ['--script', 'customer-intake.transcript'];

/** A conversation of the examples that was recorded. */
async function recorded(
  more: readonly string[] = script,
  input = '',
): Promise<{ folder: string; recording: string; result: Result }> {
  const folder = await folderWith({});
  const recording = join(folder, 'talk.recording');
  const result = await dramaturg(['run', intake, ...more, '--record', recording], { input });
  return { folder, recording, result };
}

async function changed(recording: string, change: (lines: string[]) => string[]): Promise<void> {
  const lines = (await readFile(recording, 'utf8')).trimEnd().split('\n');
  await writeFile(recording, `${change(lines).join('\n')}\n`);
}

describe('a conversation that was recorded', () => {
  test.for([[], ['--json']])('is replayed byte for byte with %j', async (view) => {
    const { recording, result } = await recorded([...script, ...view]);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const replayed = await dramaturg(['run', intake, '--replay', recording, ...view]);
    expect(replayed).toEqual(result);
  });

  const ferry = fileURLToPath(
    new URL('../../formats/npc/test/fixtures/ferry/ferry.npc.json', import.meta.url),
  );
  test.for([
    ['check-in.context-graph.yaml', 'Ada\nI slept well\nnone\nyes\n'],
    [ferry, 'Good evening\nTwo barrels of salt\nThree coins\n'],
  ] as const)('is replayed whatever its format: %s', async ([definition, input]) => {
    const recording = join(await folderWith({}), 'talk.recording');
    const run = ['run', definition, '--json'];
    const result = await dramaturg([...run, '--record', recording], { input });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(await dramaturg([...run, '--replay', recording])).toEqual(result);
  });

  test('has the lines of a pipe in it, and where they ended', async () => {
    const { recording, result } = await recorded([], 'Maria\n4711\n');
    expect(result.stdout).toContain('Still open: issue_type');
    expect(await dramaturg(['run', intake, '--replay', recording])).toEqual(result);
  });

  test('shows what a run without a recording shows', async () => {
    const { result } = await recorded();
    expect(result).toEqual(await dramaturg(['run', intake, ...script]));
  });

  test('names the first call whose prompt is another, and what is other', async () => {
    const { folder, recording } = await recorded();
    const definition = await readFile(join(examples, intake), 'utf8');
    const other = join(folder, intake);
    await writeFile(other, definition.replace('What is your account number?', 'And the account?'));
    const { code, stderr } = await dramaturg(['run', other, '--replay', recording]);
    expect(code).toBe(4);
    // A model gets the texts of all states with each call.
    expect(stderr).toContain(
      `The run leaves the recording "${recording}" at line 2: the call of "reply" with the key "conversation/0/reply" differs at prompt[1].text: it was recorded with "`,
    );
    expect(stderr).toMatch(/account number\?.*", and is now ".*And the account\?/);
    expect(stderr).toContain(
      'The definition has changed. If the difference is intended, record the run again.',
    );
  });

  test('replays with a definition that has changed where no prompt shows it and the conversation does not come', async () => {
    const { folder, recording, result } = await recorded();
    const definition = await readFile(join(examples, intake), 'utf8');
    const other = join(folder, intake);
    await writeFile(other, definition.replace('"priority": 10,', '"priority": 9,'));
    expect(await dramaturg(['run', other, '--replay', recording])).toEqual(result);
  });

  test('that lacks a call says which one the run makes now', async () => {
    const { recording } = await recorded();
    await changed(recording, (lines) =>
      lines.filter((line) => !line.includes('conversation/1/reply')),
    );
    const { code, stderr } = await dramaturg(['run', intake, '--replay', recording]);
    expect(code).toBe(4);
    expect(stderr).toContain(
      'the run now makes the call of "reply" with the key "conversation/1/reply", and the recording has a line of the person there.',
    );
    expect(stderr).toContain('hint: The definition has not changed: look for other changes.');
  });

  test('that goes on longer says what the run does not do any more', async () => {
    const { recording } = await recorded();
    await changed(recording, (lines) => [
      ...lines.slice(0, -1),
      '{"type":"said","text":"One more thing"}',
      lines.at(-1)!,
    ]);
    const { code, stderr } = await dramaturg(['run', intake, '--replay', recording]);
    expect(code).toBe(4);
    expect(stderr).toContain(
      'nothing waits for it any more: the recording has a line of the person there.',
    );
  });
});

describe('a workflow that was recorded', () => {
  const workflow = JSON.stringify({
    StartAt: 'Both',
    States: {
      Both: {
        Type: 'Parallel',
        Branches: [
          {
            StartAt: 'Slow',
            States: {
              Slow: { Type: 'Task', Agent: 'Slow', TimeoutSeconds: 60, End: true },
            },
          },
          {
            StartAt: 'Tired',
            States: {
              Tired: {
                Type: 'Task',
                Agent: 'Tired',
                Retry: [{ ErrorEquals: ['Tired'], IntervalSeconds: 5 }],
                End: true,
              },
            },
          },
        ],
        Next: 'Ask',
      },
      Ask: {
        Type: 'Approval',
        Prompt: 'Is it fine?',
        Choices: [{ Variable: '$.approval', StringEquals: 'approve', Next: 'Fine' }],
        Default: 'Fine',
      },
      Fine: { Type: 'Succeed' },
    },
  });
  const agents = `let calls = 0;
export const Slow = () => new Promise((resolve) => setImmediate(() => resolve({ at: Date.now(), luck: Math.random() })));
export const Tired = () => {
  calls += 1;
  if (calls === 1) throw Object.assign(new Error('later'), { error: 'Tired', cause: 'so early' });
  return 'awake';
};`;
  const files = { 'both.asl.json': workflow, 'agents.mjs': agents, 'yes.txt': 'approve\n' };

  test.for([[], ['--json']])(
    'is replayed without its agents, byte for byte with %j',
    async (view) => {
      const cwd = await folderWith(files);
      const run = ['run', 'both.asl.json', ...view];
      const asked = ['--no-wait', '--agents', 'agents.mjs', '--script', 'yes.txt'];
      const result = await dramaturg([...run, ...asked, '--record', 'both.recording'], { cwd });
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(result.stdout).toContain('so early');
      expect(await dramaturg([...run, '--replay', 'both.recording'], { cwd })).toEqual(result);
    },
  );

  test('and waits for a missing person is replayed up to there', async () => {
    const cwd = await folderWith(files);
    const asked = ['--no-wait', '--agents', 'agents.mjs', '--record', 'both.recording'];
    const result = await dramaturg(['run', 'both.asl.json', ...asked], { cwd });
    expect(result.code).toBe(5);
    const replayed = await dramaturg(['run', 'both.asl.json', '--replay', 'both.recording'], {
      cwd,
    });
    expect(replayed).toEqual(result);
  });

  test('takes as long as it must to record, and no time to replay', async () => {
    const wait = { StartAt: 'Rest', States: { Rest: { Type: 'Wait', Seconds: 3600, End: true } } };
    const cwd = await folderWith({ 'rest.asl.json': JSON.stringify(wait) });
    const run = ['run', 'rest.asl.json'];
    const result = await dramaturg([...run, '--no-wait', '--record', 'rest.recording'], { cwd });
    expect(result.code).toBe(0);
    expect(await dramaturg([...run, '--replay', 'rest.recording'], { cwd })).toEqual(result);
  });

  test('has in it how a token was completed from outside', async () => {
    const queue = 'arn:aws:states:::sqs:sendMessage.waitForTaskToken';
    const stamp = {
      StartAt: 'Stamp',
      States: {
        Stamp: {
          Type: 'Task',
          Resource: queue,
          Parameters: { 'token.$': '$$.Task.Token' },
          End: true,
        },
      },
    };
    const workers = `export default { '${queue}': ({ token }, { complete }) => {
      setImmediate(() => complete({ type: 'task.succeeded', token, output: Math.random() }));
    } };`;
    const cwd = await folderWith({
      'stamp.asl.json': JSON.stringify(stamp),
      'workers.mjs': workers,
    });
    const run = ['run', 'stamp.asl.json', '--json'];
    const asked = ['--agents', 'workers.mjs', '--record', 'stamp.recording'];
    const result = await dramaturg([...run, ...asked], { cwd });
    expect(result.code).toBe(0);
    expect(await dramaturg([...run, '--replay', 'stamp.recording'], { cwd })).toEqual(result);
  });
});

describe('a mistake in the call', () => {
  test('a recording never takes the place of a file that is none', async () => {
    const cwd = await folderWith({ 'notes.txt': 'Buy milk\n', 'small.plan.json': '{}' });
    const plan = join(examples, intake);
    expect(await dramaturg(['run', plan, '--record', 'notes.txt'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: "notes.txt" exists already and is not a recording.\nhint: Name another file: only a recording is replaced.\n',
    });
    expect(await readFile(join(cwd, 'notes.txt'), 'utf8')).toBe('Buy milk\n');
  });

  test.for([
    ['.', '"." is a folder.'],
    ['missing/talk.recording', 'There is no folder "missing" for the recording.'],
    ['-', '--record needs the name of a file.'],
  ] as const)('a recording is not begun in %j', async ([file, sentence]) => {
    const cwd = await folderWith({});
    const plan = join(examples, intake);
    const { code, stdout, stderr } = await dramaturg(['run', plan, '--record', file], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });

  test('a recording takes the place of one before it', async () => {
    const { recording } = await recorded();
    const again = await dramaturg(['run', intake, '--record', recording], { input: 'Ada\n' });
    expect(again.code).toBe(0);
    expect(await dramaturg(['run', intake, '--replay', recording])).toEqual(again);
  });

  test('a run that cannot begin leaves no recording', async () => {
    const cwd = await folderWith({});
    const definition = JSON.parse(await readFile(join(examples, intake), 'utf8')) as object;
    const fields = [{ id: 'company', label: 'Company', type: 'string' }];
    const asking = { ...definition, session_context: { fields } };
    await writeFile(join(cwd, 'asking.plan.json'), JSON.stringify(asking));
    const { code } = await dramaturg(['run', 'asking.plan.json', '--record', 'a.recording'], {
      cwd,
    });
    expect(code).toBe(2);
    await expect(readFile(join(cwd, 'a.recording'))).rejects.toThrow('ENOENT');
  });

  test.for([
    ['', 'is not a recording: line 1 is not JSON.'],
    ['{"id":"small"}\n', 'is not a recording: line 1 is not the header of a recording.'],
    ['half', 'is cut off at line'],
  ])('a file that begins with %j is told so', async ([content, sentence]) => {
    const { recording } = await recorded();
    const whole = await readFile(recording, 'utf8');
    await writeFile(recording, content === 'half' ? whole.slice(0, whole.length / 2) : content!);
    const { code, stdout, stderr } = await dramaturg(['run', intake, '--replay', recording]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).toContain('hint: ');
  });

  test('a recording of another kind of definition is refused', async () => {
    const { recording } = await recorded();
    const { code, stderr } = await dramaturg(['run', 'order.asl.json', '--replay', recording]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'records a definition of the format "plan", and this definition has the format "asl".',
    );
  });

  test.for(['--record', '--script', '--input', '--agents'])(
    'a replay takes no %s',
    async (option) => {
      const { code, stderr } = await dramaturg(['run', intake, '--replay', 'a', option, 'b']);
      expect(code).toBe(2);
      expect(stderr).toContain("'--replay <file>' cannot be used with option");
    },
  );
});
