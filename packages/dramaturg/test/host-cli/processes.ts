import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { dramaturg, examples } from '../command.ts';

const bin = fileURLToPath(new URL('../../bin/dramaturg.js', import.meta.url));

/** Milliseconds until something that has to come is taken never to come. */
const aWhile = 30_000;

/** A command that goes on until it is ended, or ends by itself. */
export class Running {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, [bin, ...args], {
      cwd: examples,
      env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exit = once(this.child, 'close').then(([code]) => code as number | null);
    onTestFinished(async () => {
      this.child.kill('SIGKILL');
      await this.exit;
    });
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exit;
  }

  /** Fulfils once the standard output has a text. */
  async says(text: string): Promise<void> {
    await until(() => this.stdout.includes(text) || this.child.exitCode !== null);
    if (this.stdout.includes(text)) return;
    throw new Error(`It has ended without saying ${text}: ${this.stdout}${this.stderr}`);
  }
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + aWhile;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`It has not come about: ${String(isSo)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A folder that does not exist yet, for a store. */
export async function newStore(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'store');
}

/** A host that runs a store, once it listens. */
export async function serve(store: string, ...args: string[]): Promise<Running> {
  const host = new Running(['serve', store, ...args]);
  await host.says(args.includes('--json') ? '"ready"' : 'Ctrl+C stops it.');
  return host;
}

/** Starts a conversation of the example, and waits until it waits for its contact. */
export async function greeted(store: string, id: string, contact = id): Promise<void> {
  const started = await dramaturg([
    'start',
    store,
    'customer-intake.plan.json',
    '--id',
    id,
    '--contact',
    contact,
  ]);
  expect(started).toMatchObject({ code: 0 });
  await reaches(store, id, 'WAITING_FOR_REPLY');
}

export async function reaches(store: string, id: string, state: string): Promise<void> {
  await until(async () => (await json(['show', store, id]))['state'] === state);
}

/** What a command prints with `--json`. */
export async function json(args: readonly string[]): Promise<Record<string, unknown>> {
  const result = await dramaturg([...args, '--json']);
  expect(result.stderr).toBe('');
  return JSON.parse(result.stdout) as Record<string, unknown>;
}

/** What was said, as `role: text`. */
export async function transcriptOf(store: string, id: string): Promise<readonly string[]> {
  const lines = (await json(['logs', store, id])) as unknown as { role: string; text: string }[];
  return lines.filter(({ role }) => role !== 'system').map(({ role, text }) => `${role}: ${text}`);
}
