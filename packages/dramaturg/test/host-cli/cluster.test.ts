import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restateProgram, whyNoRestate } from '@dramaturg/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dramaturg, environment, examples } from '../command.ts';
import { hasAsked, json } from './processes.ts';

const missing = whyNoRestate();

/** What the script of the example prints about a node. */
const nodeLine = /(node-\d) {2}process (\d+) {2}calls (\S+) {2}console (\S+)/g;

const answers = ['Ada', '4711-B'];

describe.skipIf(missing)(`the example of a cluster${missing ? ` (${missing})` : ''}`, () => {
  test('loses a node and a handler, and no message', async () => {
    const cluster = await startCluster();
    const nodes = Array.from(
      cluster.stdout.matchAll(nodeLine),
      ([, name, pid, ingress, admin]) => ({
        name: name!,
        pid: Number(pid),
        place: ['--restate', ingress!, '--restate-admin', admin!],
      }),
    );
    const handlers = handlersIn(cluster.stdout);
    expect([nodes.length, handlers.length]).toEqual([3, 4]);
    const [first, second] = nodes;
    const ids = ['one', 'two', 'three'];
    for (const id of ids)
      expect(
        await dramaturg(['start', ...first!.place, 'intake', '--id', id, '--contact', id]),
      ).toMatchObject({ code: 0 });
    for (const id of ids) await eventually(() => hasAsked(second!.place, id));

    process.kill(first!.pid, 'SIGKILL');
    process.kill(handlers[0]!, 'SIGKILL');
    for (const text of answers)
      for (const id of ids) {
        // A command whose answer is lost is repeated: with an id, its message is one message.
        const event = JSON.stringify({ type: 'message.received', id: `${id}/${text}`, text });
        await eventually(async () => {
          const sent = await dramaturg(['send', ...second!.place, id, '--event', event]);
          const isRepeated = `${sent.stdout}${sent.stderr}`.includes('received before');
          expect(isRepeated || sent.code === 0).toBe(true);
        });
        await eventually(() => hasAsked(second!.place, id));
      }
    for (const id of ids) {
      const lines = (await json(['logs', ...second!.place, id])) as unknown as {
        readonly role: string;
        readonly text: string;
      }[];
      const received = lines.filter(({ role }) => role === 'contact').map(({ text }) => text);
      expect(received).toEqual(answers);
      const sent = lines.filter(({ role }) => role === 'agent').map(({ text }) => text);
      expect(sent).toHaveLength(3);
    }

    await eventually(() => {
      expect(cluster.stdout).toContain('node-1 is back');
      expect(handlersIn(cluster.stdout)).toHaveLength(5);
    });
    expect(await stateOf(first!.place, 'one')).toBe('WAITING_FOR_REPLY');

    const pids = [...nodes.map(({ pid }) => pid), ...handlersIn(cluster.stdout)];
    cluster.child.kill('SIGINT');
    expect(await cluster.exit).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

interface Cluster {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  readonly stdout: string;
}

/** Runs the script as a user does, on free ports. */
async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
  const child = spawn(
    process.execPath,
    [join(examples, 'cluster/start.mjs'), '--port', '0', '--handlers-port', '0', '--data', 'data'],
    { cwd: folder, env: environment({ RESTATE_SERVER: restateProgram() }) },
  );
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exit;
    rmSync(folder, { recursive: true, force: true });
  });
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(output.stderr);
    expect(output.stdout).toContain('Ready.');
  });
  return {
    child,
    exit,
    get stdout() {
      return output.stdout;
    },
  };
}

function handlersIn(stdout: string): readonly number[] {
  return Array.from(stdout.matchAll(/^ {2}handler {2}process (\d+)$/gm), ([, pid]) => Number(pid));
}

async function stateOf(place: readonly string[], id: string): Promise<unknown> {
  const { code, stdout, stderr } = await dramaturg(['show', ...place, id, '--json']);
  if (code !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { readonly state: string }).state;
}

/** Repeats checks until they hold. A node that has just died has no successor yet, and testing machines are slow. */
async function eventually(check: () => unknown): Promise<void> {
  const deadline = Date.now() + 300_000;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
