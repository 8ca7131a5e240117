import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';

/**
 * Projects in a folder below this package, where Node finds the packages of the repository: the commands of each project run as its author
 * would run them. `npm run test:packed` does the same with packed packages and an installation.
 */
const root = mkdtempSync(join(import.meta.dirname, 'projects-'));
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

const bin = join(import.meta.dirname, '../bin/create-dramaturg.js');
const tools = join(import.meta.dirname, '../../../node_modules/.bin');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly printed: () => string;
  readonly ended: Promise<Ended>;
}

function start(
  command: string,
  args: readonly string[],
  cwd: string,
  input = '',
  environment: Readonly<Record<string, string>> = {},
): Started {
  const child = spawn(command, args, {
    cwd,
    env: {
      ...process.env,
      ...environment,
      PORT: '0',
      NO_COLOR: '1',
      PATH: [tools, process.env['PATH']].join(delimiter),
    },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, printed: () => stdout, ended };
}

const create = (args: readonly string[], cwd = root) =>
  start(process.execPath, [bin, ...args], cwd).ended;
/** Runs a script of the project as `npm run` does, without npm, which takes longer than the script. */
const run = (script: string, project: string, input = '') => {
  const folder = join(root, project);
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  const shell = process.platform === 'win32' ? ['cmd', '/c'] : ['sh', '-c'];
  return start(shell[0]!, [shell[1]!, scripts[script]!], folder, input).ended;
};

/** What a person says, and what the program then prints. */
const runs = {
  conversation: ['Ada\ninspection\n', "outcome: 'completed'"],
  workflow: ['', '"paid": 20'],
  npc: ['I am the doctor from the village\n', 'Who is there?'],
  graph: ['The screen stays dark\n', 'What is wrong?'],
} as const;

const templates = Object.keys(runs) as (keyof typeof runs)[];

describe.each(runsAll ? templates : templates.slice(0, 2))('a project with a %s', (template) => {
  test('starts, is tested and has no findings', async () => {
    const project = `terminal-${template}`;
    const made = await create([project, '--template', template, '--json']);
    const { files } = JSON.parse(made.stdout) as { files: string[] };
    expect(readdirSync(join(root, project)).toSorted()).toEqual(files.toSorted());
    expect(await run('test', project)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/✓ \d tests passed/),
    });
    // Each is a process that loads everything: one project stands for all, but in `npm run test:all`.
    if (!runsAll && template !== templates[0]) return;
    const [input, expected] = runs[template];
    const started = await run('start', project, input);
    expect(started).toMatchObject({ code: 0, stderr: '' });
    expect(started.stdout).toContain(expected);
    expect(await run('check', project)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no errors, no warnings'),
    });
  });
});

test.each(runsAll ? templates : templates.slice(0, 1))(
  'a project with a %s is a service with pages, which ends with a signal',
  async (template) => {
    const project = `service-${template}`;
    await create([project, '--template', template, '--service']);
    const manifest = JSON.parse(readFileSync(join(root, project, 'package.json'), 'utf8')) as {
      scripts: { start: string };
    };
    const [program, ...args] = manifest.scripts.start.split(' ');
    expect(program).toBe('node');
    const service = start(process.execPath, args, join(root, project));
    onTestFinished(() => void service.child.kill('SIGKILL'));
    await expect.poll(service.printed).toMatch(/desk {2}http.*\n/);
    const pages = service.printed().match(/http:\S+/g)!;
    expect(pages).toHaveLength(template === 'workflow' ? 1 : 2);
    for (const page of pages) {
      const response = await fetch(page);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('text/html');
    }
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(root, project, 'data/instances/store.json'))).toBe(true);
  },
);

test('with a model, the packages of the model are dependencies, and a key is not needed', async ({
  skip,
}) => {
  skip(!runsAll);
  await create(['with-model', '--model']);
  const read = (name: string) => readFileSync(join(root, 'with-model', name), 'utf8');
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: object };
  expect(Object.keys(dependencies)).toEqual([
    '@dramaturg/langchain',
    '@langchain/core',
    'dramaturg',
    'xstate',
  ]);
  const started = await run('start', 'with-model', 'Ada\ninspection\n');
  expect(started.stdout).toContain("outcome: 'completed'");
});

test('without a terminal, nothing is asked: a conversation in the terminal without a model', async () => {
  const { code, stdout } = await create(['quiet']);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'Made the project. Next:\n  cd quiet\n  npm install\n  npm start\n  npm test\n',
  });
  expect(existsSync(join(root, 'quiet', 'appointment.plan.yaml'))).toBe(true);
});

test.each([
  ['pnpm', 'pnpm install\n  pnpm start\n  pnpm test'],
  ['yarn', 'yarn install\n  yarn start\n  yarn test'],
  // "bun test" would look for tests of Bun's own.
  ['bun', 'bun install\n  bun run start\n  bun run test'],
])('the next commands are those of %s when it makes the project', async (manager, commands) => {
  const agent = `${manager}/1.4.5 npm/? node/v24.3.0 linux x64`;
  const { stdout } = await start(process.execPath, [bin, `with-${manager}`], root, '', {
    npm_config_user_agent: agent,
  }).ended;
  expect(stdout).toBe(`Made the project. Next:\n  cd with-${manager}\n  ${commands}\n`);
});

test('--help shows the options and examples', async () => {
  const { code, stdout } = await create(['--help']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: npm create dramaturg@latest/);
  expect(stdout.match(/^ {2}\$ /gm)?.length).toBe(3);
});

test.each([
  [['--template', 'poem'], 'There is no template "poem".'],
  [['one', 'two'], 'There is more than one folder.'],
  [['--servce'], "Unknown option '--servce'."],
  [['--template', 'workflow', '--model'], 'A workflow calls agents, and no model.'],
  [['--template'], "Option '--template <value>' argument missing."],
  [['notes.txt'], '"notes.txt" is not a folder.'],
])('%j is refused, and nothing is written', async (args, error) => {
  const folder = mkdtempSync(join(root, 'wrong-'));
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  const plain = await create(args, folder);
  const json = await create(['--json', ...args], folder);
  expect(plain).toMatchObject({ code: 2, stdout: '' });
  expect(plain.stderr).toMatch(/^error: .+\nhint: .+\n$/);
  expect(plain.stderr).toContain(error);
  expect(JSON.parse(json.stdout)).toMatchObject({ error, code: 'create/wrong-call' });
  expect(readdirSync(folder)).toEqual(['notes.txt']);
});

test('files of the author are never overwritten', async () => {
  const folder = join(root, 'mine');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), 'mine');
  const { code, stderr } = await create(['mine']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'error: The folder "mine" has "package.json" already.\nhint: Name a new folder.\n',
  });
  expect(readdirSync(folder)).toEqual(['package.json']);
  expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe('mine');
});
