import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { Running } from '../host-cli/processes.ts';

const root = join(import.meta.dirname, '../../../..');

/** The instructions of a Dockerfile: continued lines are joined, comments are left out. */
async function instructions(): Promise<readonly (readonly [name: string, rest: string])[]> {
  const text = await readFile(join(root, 'docs/deploy/Dockerfile'), 'utf8');
  return text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      return [name, rest] as const;
    });
}

async function folderWithTokens() {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const tokens = join(folder, 'tokens.json');
  const made = await dramaturg([
    'token',
    'create',
    '--name',
    'desk',
    '--scope',
    'admin',
    '--file',
    tokens,
    '--json',
  ]);
  return { folder, token: (JSON.parse(made.stdout) as { token: string }).token };
}

/** Runs the arguments of a deployment with the paths and the port of this test. */
async function deployed(args: readonly string[], folder: string, ...folders: readonly string[]) {
  const port = await freePort();
  const given = args.map((arg) =>
    folders
      .reduce((path, each) => path.replace(each, folder), arg)
      .replace(/^(?:0\.0\.0\.0|127\.0\.0\.1):8080$/, `127.0.0.1:${port}`),
  );
  const service = new Running([...given, '--json']);
  await service.says('"ready"');
  return { service, port };
}

test('the instructions of the Dockerfile are known, pinned, and name what is there', async () => {
  const known =
    'FROM ENV WORKDIR COPY RUN USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD';
  const all = await instructions();
  expect(all.filter(([name]) => !known.split(' ').includes(name))).toEqual([]);
  for (const [name, rest] of all) {
    const copied =
      name === 'COPY' ? [...rest.matchAll(/\/app\/(\S+)/g)].map(([, path]) => path!) : [];
    for (const path of copied) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
  }
  const bases = all.filter(([name]) => name === 'FROM').map(([, rest]) => rest.split(' ')[0]!);
  for (const base of bases) expect(base).toMatch(/^node:\d+\.\d+\.\d+-/);
  const last = (wanted: string) => all.findLast(([name]) => name === wanted)?.[1];
  expect(last('USER')).toBe('node');
  expect(last('STOPSIGNAL')).toBe('SIGTERM');
  // Process 1 of the container is Node itself, which has the signal.
  expect(JSON.parse(last('ENTRYPOINT')!)).toEqual(['node', 'packages/dramaturg/bin/dramaturg.js']);
});

test('the command and the health check of the Dockerfile work', async () => {
  const all = await instructions();
  const args = JSON.parse(all.find(([name]) => name === 'CMD')![1]) as string[];
  const [, check] = all.find(([name]) => name === 'HEALTHCHECK')!;
  const [, ...checkArgs] = JSON.parse(check.slice(check.indexOf('['))) as string[];
  // A container is killed ten seconds after it is stopped.
  expect(Number(args[args.indexOf('--within') + 1])).toBeLessThan(10_000);
  const { folder, token } = await folderWithTokens();
  const { service, port } = await deployed(args, folder, '/data');
  const isHealthy = () =>
    spawnSync(
      process.execPath,
      checkArgs.map((arg) => arg.replace('8080', `${port}`)),
    ).status;
  expect(isHealthy()).toBe(0);
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`http://127.0.0.1:${port}/instances`, { headers })).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/instances`)).status).toBe(401);
  expect(await service.end('SIGTERM')).toBe(0);
  expect(isHealthy()).toBe(1);
});

test('the command of the systemd unit works, and stops within its time', async () => {
  const unit = await readFile(join(root, 'docs/deploy/dramaturg.service'), 'utf8');
  const fields = new Map(
    [...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
  );
  const [node, script, ...args] = fields.get('ExecStart')!.split(' ');
  expect(node).toBe('/usr/bin/node');
  expect(existsSync(script!.replace('/opt/dramaturg', root))).toBe(true);
  const within = Number(args[args.indexOf('--within') + 1]);
  expect(Number(fields.get('TimeoutStopSec')) * 1_000).toBeGreaterThan(within);
  const { folder } = await folderWithTokens();
  // The file that the page has a person create, for the user of the service to read.
  const tokens = args[args.indexOf('--tokens') + 1]!;
  const page = await readFile(join(root, 'docs/deploy.md'), 'utf8');
  expect(page).toContain(`--file ${tokens}\nchmod 644 ${tokens}\n`);
  const { service } = await deployed(args, folder, '/var/lib/dramaturg', '/etc/dramaturg');
  expect(await service.end('SIGTERM')).toBe(0);
});

const analyze = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!analyze)(
  `systemd accepts the unit${analyze ? '' : ' (systemd-analyze is not installed)'}`,
  () => {
    const path = join(root, 'docs/deploy/dramaturg.service');
    const { stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    // The program is not installed here.
    expect(
      stderr.split('\n').filter((line) => line !== '' && !line.includes('/usr/bin/node')),
    ).toEqual([]);
  },
);

const container = ['docker', 'podman'].find((name) => spawnSync(name, ['info']).status === 0);

test.skipIf(container === undefined)(
  `the image is built from a clean clone and answers${container ? '' : ' (there is no tool for containers)'}`,
  async ({ skip }) => {
    const [, base] = (await instructions()).find(([name]) => name === 'FROM')!;
    const [image = ''] = base.split(' ');
    skip(spawnSync(container!, ['pull', image]).status !== 0, `${image} cannot be pulled`);
    const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const clone = join(folder, 'clone');
    expect(spawnSync('git', ['clone', '--quiet', root, clone]).status).toBe(0);
    const built = spawnSync(
      container!,
      ['build', '-f', 'docs/deploy/Dockerfile', '-t', 'dramaturg-test', '.'],
      { cwd: clone, encoding: 'utf8' },
    );
    expect(built.stderr).not.toContain('ERROR');
    expect(built.status).toBe(0);
    const run = spawnSync(container!, ['run', '--rm', 'dramaturg-test', '--version'], {
      encoding: 'utf8',
    });
    expect(run.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  },
);
