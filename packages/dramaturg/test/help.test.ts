import { type Operation, operations } from '@dramaturg/service';
import { describe, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { allCommands } from '../src/cli/all-commands.ts';
import { dramaturg, installedDramaturg } from './command.ts';

test('--help lists the commands with a line each', async () => {
  const { code, stdout } = await dramaturg(['--help']);
  expect(code).toBe(0);
  for (const line of [
    /^ {2}demo .*lively data/m,
    /^ {2}new .*first definition/m,
    /^ {2}check .*find mistakes/m,
    /^ {2}compile .*state machine/m,
    /^ {2}run .*conversation/m,
    /^ {2}test-state .*single state/m,
    /^ {2}topology .*map/m,
    /^ {2}lsp .*Language Server Protocol/m,
    /^ {2}schema .*JSON Schema/m,
    /^ {2}types .*TypeScript/m,
    /^ {2}token .*tokens of a service/m,
    /^ {2}serve .*run the instances/m,
    /^ {2}mcp .*Model Context Protocol/m,
    /^ {2}start .*start an instance/m,
    /^ {2}send .*a message/m,
    /^ {2}ps .*list instances/m,
    /^ {2}show .*everything/m,
    /^ {2}logs .*transcript/m,
    /^ {2}tail .*events/m,
    /^ {2}decisions .*open decisions/m,
    /^ {2}decide .*take an open decision/m,
    /^ {2}checkpoints .*save points of a run/m,
    /^ {2}fork .*copy of an instance/m,
    /^ {2}pause .*suspend/m,
    /^ {2}resume .*continue/m,
    /^ {2}cancel .*end an instance/m,
    /^ {2}intervene .*by hand/m,
    /^ {2}take-over .*from the agent/m,
    /^ {2}hand-back .*to the agent/m,
    /^ {2}note .*note/m,
    /^ {2}acts .*people have done/m,
    /^ {2}export .*person's data/m,
    /^ {2}erase .*person's data/m,
    /^ {2}backup .*copy a store/m,
    /^ {2}restore .*backup/m,
    /^ {2}copy .*another kind/m,
    /^ {2}verify .*checksums/m,
    /^ {2}repair .*damaged store/m,
  ]) {
    expect(stdout).toMatch(line);
  }
});

test('every command is in the catalogue, also those that are rows of the table of operations', async () => {
  const rows = Object.values<Operation>(operations).flatMap(({ command }) => command ?? []);
  expect(Object.keys(allCommands)).toEqual(expect.arrayContaining(rows.map(({ name }) => name)));
  for (const [name, load] of Object.entries(allCommands))
    expect((await load())().name()).toBe(name);
});

test('--version is that of the package', async () => {
  expect(await dramaturg(['--version'])).toEqual({
    code: 0,
    stdout: `${packageJson.version}\n`,
    stderr: '',
  });
});

const commands = [
  'new',
  'check',
  'compile',
  'run',
  'test-state',
  'lsp',
  'schema',
  'types',
  'serve',
  'mcp',
  'start',
  'send',
  'ps',
  'show',
];
commands.push(
  'decisions',
  'decide',
  'checkpoints',
  'fork',
  'logs',
  'tail',
  'pause',
  'resume',
  'cancel',
  'intervene',
  'take-over',
  'hand-back',
  'note',
  'acts',
  'export',
  'erase',
  'backup',
  'restore',
  'copy',
  'verify',
  'repair',
  'token',
);

describe.each(commands)('%s --help', (name) => {
  test('says what the command does and shows two or three examples', async () => {
    const { code, stdout } = await dramaturg([name, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: dramaturg ${name} `));
    expect(stdout.match(/^ {2}\$ .*dramaturg/gm)?.length).toBeGreaterThanOrEqual(2);
  });
});

test('an unknown command is answered with the most similar one', async () => {
  expect(await dramaturg(['chek'])).toEqual({
    code: 2,
    stdout: '',
    stderr: "error: Unknown command 'chek'.\nhint: Did you mean check?\n",
  });
});

test('a call without a command is an error and prints the help', async () => {
  const { code, stdout, stderr } = await dramaturg([]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Usage: dramaturg /);
});

describe('a failure of Dramaturg itself', () => {
  const broken = encodeURIComponent(
    'const { stringify } = JSON; JSON.stringify = () => { JSON.stringify = stringify; throw new Error("boom") }',
  );
  const fail = (env: NodeJS.ProcessEnv) =>
    installedDramaturg(['check', '-', '--json'], {
      input: '{}',
      env: { NODE_OPTIONS: `--import data:text/javascript,${broken}`, ...env },
    });

  const report =
    'This is a bug. Please report it with the definition and the output of DRAMATURG_DEBUG=1.';

  test('is reported as a bug', async () => {
    expect(await fail({})).toEqual({
      code: 3,
      stdout: `{"error":"Dramaturg has failed: boom","code":"command/failed","hint":"${report}"}\n`,
      stderr: `error: Dramaturg has failed: boom\nhint: ${report}\n`,
    });
  });

  test('shows where it happened with DRAMATURG_DEBUG=1', async () => {
    expect((await fail({ DRAMATURG_DEBUG: '1' })).stderr).toMatch(/^ {4}at /m);
  });
});

test('a pipe that is closed early ends the command quietly', async () => {
  expect(
    await installedDramaturg(['compile', 'customer-intake.plan.json'], { closeOutput: true }),
  ).toMatchObject({ code: 0, stderr: '' });
});
