import { spawn } from 'node:child_process';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { environment, examples, folderWith } from '../command.ts';
import { until } from './processes.ts';

const bin = fileURLToPath(new URL('../../bin/dramaturg.js', import.meta.url));

/** Runs a command in a shell that gives every permission to everyone. */
function unmasked(cwd: string, ...args: readonly string[]) {
  const shell = ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, bin, ...args];
  const child = spawn('sh', shell, { cwd, env: { ...environment(), TMPDIR: cwd } });
  let output = '';
  const collect = (text: Buffer) => (output += text.toString());
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  child.stdin.end('Ada\n4711-B\n');
  const exit = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, exit, output: () => output };
}

async function ran(cwd: string, ...args: readonly string[]): Promise<void> {
  const { exit, output } = unmasked(cwd, ...args);
  const code = await exit;
  expect({ args, code, output: output() }).toMatchObject({ code: 0 });
}

/** What others may do with the files below a folder. */
async function openToOthers(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    // Files that are replaced meanwhile are looked at under their next name.
    const status = await lstat(join(folder, name)).catch(() => undefined);
    if (status && (status.mode & 0o077) !== 0)
      found.push(`${name} ${(status.mode & 0o777).toString(8)}`);
  }
  return found;
}

const remembers = JSON.stringify({
  StartAt: 'note',
  States: {
    note: {
      Type: 'Task',
      Agent: 'Clerk',
      Memory: { Namespace: 'desk', Write: { Key: 'colour', Value: 'green', TTL: '30d' } },
      End: true,
    },
  },
});

test.skipIf(process.platform === 'win32').each(['lowdb', 'sqlite'])(
  'under umask 000 only the owner can read what a %s store, its backup, an export, a recording and a memory have',
  async (kind) => {
    const outside = await folderWith({});
    const cwd = await folderWith({ 'remembers.asl.json': remembers });
    const plan = join(examples, 'customer-intake.plan.json');
    const before = await openToOthers(cwd);
    await ran(cwd, 'run', plan, '--record', 'one.recording');
    const host = unmasked(
      cwd,
      'serve',
      'store',
      '--store',
      kind,
      '--definition',
      plan,
      '--definition',
      'remembers.asl.json',
    );
    await until(() => host.output().includes('Ctrl+C'));
    await ran(cwd, 'start', 'store', 'customer-intake', '--id', 'one', '--contact', 'ada');
    await ran(cwd, 'send', 'store', 'one', 'Ada');
    await ran(cwd, 'start', 'store', 'remembers', '--id', 'two');
    await ran(cwd, 'ps', 'store', '--all');
    const whileItRuns = await openToOthers(cwd);
    const names = await readdir(join(cwd, 'store'));
    host.child.kill('SIGTERM');
    expect(await host.exit).toBe(0);
    await ran(cwd, 'send', 'store', 'one', '4711-B');
    await ran(cwd, 'fork', 'store', 'one', '--step', '2');
    await ran(cwd, 'backup', 'store', 'backups/monday');
    await ran(cwd, 'restore', 'backups/monday', 'restored');
    await ran(cwd, 'export', 'restored', 'ada', '--output', 'ada.json');
    await ran(cwd, 'erase', 'restored', 'ada', '--end', '--recordings', '.');
    await ran(cwd, 'verify', 'restored');
    expect(names).toContain('host.sock');
    expect(names).toContain('memory.json');
    expect(whileItRuns).toEqual(before);
    expect(await openToOthers(cwd)).toEqual(before);
    expect(await readdir(outside)).toEqual([]);
  },
);
