import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { dramaturg, environment, examples } from '../command.ts';
import { WarmCommand } from '../warm-command.ts';

/** Milliseconds after which an awaited change counts as missing. */
const timeoutMs = 300_000;

/** A command that runs until the test stops it, or until it ends by itself. */
export class Running {
  readonly #command: WarmCommand;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.#command = new WarmCommand({ args, cwd: examples, env: environment(env), input: '' });
    onTestFinished(async () => {
      // A process that ends its command can run the next one.
      this.#command.kill('SIGTERM');
      await Promise.race([this.exit, pause(1_000, undefined, { ref: false })]);
      await this.end('SIGKILL');
    });
  }

  get pid(): number {
    return this.#command.pid;
  }

  get hasEnded(): boolean {
    return this.#command.hasEnded;
  }

  /** The exit code, or null for a command that was killed. */
  get exit(): Promise<number | null> {
    return this.#command.exit;
  }

  get stdout(): string {
    return this.#command.stdout;
  }

  get stderr(): string {
    return this.#command.stderr;
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#command.kill(signal);
    return this.exit;
  }

  /** Resolves when standard output contains a text. */
  async says(text: string): Promise<void> {
    await until(() => this.stdout.includes(text) || this.hasEnded);
    if (this.stdout.includes(text)) return;
    throw new Error(`It has ended without saying ${text}: ${this.stdout}${this.stderr}`);
  }
}

export async function until(
  isSo: () => boolean | Promise<boolean>,
  withinMs = timeoutMs,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`It has not come about: ${String(isSo)}`);
    await pause(20);
  }
}

/** A folder that does not exist yet, for a store. */
export async function newStore(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'store');
}

/** Starts the host of a store, and waits until it listens. */
export async function serve(store: string, ...args: string[]): Promise<Running> {
  const host = new Running(['serve', store, ...args]);
  await host.says(args.includes('--json') ? '"ready"' : 'Ctrl+C stops the host.');
  return host;
}

/** Starts a conversation of the example, and waits for its first question. */
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

/** Waits until the instance waits for an answer to a question that its channel has accepted: before that, an answer is undecided (T2). */
export async function hasAsked(place: readonly string[], id: string): Promise<void> {
  await until(async () => {
    const { state, undelivered } = await json(['show', ...place, id]);
    return state === 'WAITING_FOR_REPLY' && (undelivered as readonly string[]).length === 0;
  });
}

/** What a command prints with `--json`. */
export async function json(args: readonly string[]): Promise<Record<string, unknown>> {
  const result = await dramaturg([...args, '--json']);
  expect(result.stderr).toBe('');
  return JSON.parse(result.stdout) as Record<string, unknown>;
}

/** The transcript, as lines of `role: text`. */
export async function transcriptOf(store: string, id: string): Promise<readonly string[]> {
  const lines = (await json(['logs', store, id])) as unknown as { role: string; text: string }[];
  return lines.filter(({ role }) => role !== 'system').map(({ role, text }) => `${role}: ${text}`);
}
