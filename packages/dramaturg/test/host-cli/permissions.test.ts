import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { environment, examples, folderWith } from '../command.ts';
import { WarmCommand } from '../warm-command.ts';
import { until } from './processes.ts';

/** Runs a command in a process that gives every permission to everyone. */
function unmasked(cwd: string, ...args: readonly string[]): WarmCommand {
  const env = { ...environment(), TMPDIR: cwd };
  const command = new WarmCommand({ args, cwd, env, input: 'Ada\n4711-B\n', umask: 0 });
  onTestFinished(() => command.kill('SIGKILL'));
  return command;
}

async function ran(cwd: string, ...args: readonly string[]): Promise<void> {
  const command = unmasked(cwd, ...args);
  const code = await command.exit;
  expect({ args, code, output: command.stdout + command.stderr }).toMatchObject({ code: 0 });
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
    await until(() => host.stdout.includes('Ctrl+C'));
    await ran(cwd, 'start', 'store', 'customer-intake', '--id', 'one', '--contact', 'ada');
    await ran(cwd, 'send', 'store', 'one', 'Ada');
    await ran(cwd, 'start', 'store', 'remembers', '--id', 'two');
    await ran(cwd, 'ps', 'store', '--all');
    const whileItRuns = await openToOthers(cwd);
    const names = await readdir(join(cwd, 'store'));
    host.kill('SIGTERM');
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
