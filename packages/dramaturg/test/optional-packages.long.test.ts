import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const plan = join(root, 'docs/examples/customer-intake.plan.json');
const script = join(root, 'docs/examples/customer-intake.transcript');
let folder: string;

/** An installation of `dramaturg` without its optional peers: copies of our packages, links to those of others. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dramaturg-installed-'));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@dramaturg'), { recursive: true });
  const ours = new Map(
    await Promise.all(
      ['packages', 'packages/channels', 'packages/formats']
        .map(async (parent) => {
          const names = await readdir(join(root, parent));
          return names
            .filter((name) => name !== 'channels' && name !== 'formats')
            .map((name) => join(root, parent, name));
        })
        .map(async (folders) =>
          Promise.all((await folders).map(async (path) => [await nameOf(path), path] as const)),
        ),
    ).then((lists) => lists.flat()),
  );
  const names = new Set(['dramaturg']);
  for (const name of names) {
    for (const dependency of await dependenciesOf(ours.get(name)!)) {
      if (ours.has(dependency)) names.add(dependency);
    }
  }
  for (const name of names) await copyPackage(ours.get(name)!, join(modules, name));
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (name.startsWith('.') || name === '@dramaturg' || ours.has(name)) continue;
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  await mkdir(join(folder, 'definitions'));
  await cp(plan, join(folder, 'definitions/intake.plan.json'));
});

afterAll(async () => rm(folder, { recursive: true, force: true }));

async function manifestOf(path: string) {
  return JSON.parse(await readFile(join(path, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly dependencies?: Readonly<Record<string, string>>;
  };
}

async function nameOf(path: string): Promise<string> {
  return (await manifestOf(path)).name;
}

async function dependenciesOf(path: string): Promise<readonly string[]> {
  return Object.keys((await manifestOf(path)).dependencies ?? {});
}

async function copyPackage(from: string, to: string): Promise<void> {
  const parts = (await readdir(from)).filter((name) =>
    ['package.json', 'dist', 'bin', 'demo'].includes(name),
  );
  for (const part of parts) await cp(join(from, part), join(to, part), { recursive: true });
  // A dependency whose version differs from that of the other packages.
  const own = join(from, 'node_modules');
  if ((await readdir(from)).includes('node_modules')) await symlink(own, join(to, 'node_modules'));
}

async function installed(args: readonly string[]) {
  const command = join(folder, 'node_modules/dramaturg/bin/dramaturg.js');
  const replaced = args.map(
    (arg) => ({ PLAN: plan, SCRIPT: script, FOLDER: 'definitions' })[arg] ?? arg,
  );
  const env = { ...process.env, TELEGRAM_BOT_TOKEN: '1:token', TELEGRAM_WEBHOOK_SECRET: 'secret' };
  const run = promisify(execFile)(process.execPath, [command, ...replaced], { cwd: folder, env });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
}

test('the optional packages are not there', async () => {
  const scope = await readdir(join(folder, 'node_modules/@dramaturg'));
  expect(scope).toContain('host');
  expect(
    scope.filter(
      (name) => ['langchain', 'mcp', 'restate'].includes(name) || name.startsWith('channel-'),
    ),
  ).toEqual([]);
});

test('a conversation runs without the optional packages', async () => {
  const { code, stdout, stderr } = await installed(['run', 'PLAN', '--script', 'SCRIPT']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('What kind of issue do you have?');
});

test.each([
  ['langchain', 'A language model', ['run', 'PLAN', '--model', 'openai:gpt-6-luna']],
  [
    'langchain',
    'A language model',
    ['start', 'store', 'PLAN', '--contact', 'ana', '--model', 'openai:gpt-6-luna'],
  ],
  ['mcp', 'MCP', ['mcp', 'FOLDER']],
  ['restate', 'Restate', ['serve', '--restate', 'http://localhost:1', '--definition', 'PLAN']],
  ['restate', 'Restate', ['ps', '--restate', 'http://localhost:1']],
  [
    'channel-telegram',
    'The channel "telegram"',
    ['serve', 'store', '--channel', 'telegram', '--http', '0'],
  ],
])('the missing package %s is asked for in one sentence: %s %j', async (name, need, args) => {
  const { code, stdout, stderr } = await installed(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(
    `error: ${need} needs the package @dramaturg/${name}, which is not installed.\nhint: Run: npm install @dramaturg/${name}\n`,
  );
});

test('all packages that a collector of traces needs are asked for at once', async () => {
  const { code, stdout, stderr } = await installed(['serve', 'store', '--otlp', 'http://[::1]:1']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(
    'error: A collector of traces needs the package @dramaturg/opentelemetry, which is not installed.\nhint: Run: npm install @dramaturg/opentelemetry @opentelemetry/api @opentelemetry/exporter-metrics-otlp-http @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources @opentelemetry/sdk-metrics\n',
  );
});

test('a program has the code of the missing package', async () => {
  const { stdout } = await installed(['run', 'PLAN', '--model', 'openai:gpt-6-luna', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ code: 'langchain/not-installed' });
});
