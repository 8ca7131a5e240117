import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { WarmCommand } from './warm-command.ts';

const bin = fileURLToPath(new URL('../bin/dramaturg.js', import.meta.url));

export const examples = fileURLToPath(new URL('../../../docs/examples', import.meta.url));

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs the command in the folder of the examples. */
export async function dramaturg(
  args: readonly string[],
  { input = '', cwd = examples, env = {} }: Surroundings = {},
): Promise<Result> {
  const command = new WarmCommand({ args, cwd, env: environment(env), input });
  const code = await command.exit;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

/** Runs the command as it is installed, in a new process. */
export function installedDramaturg(
  args: readonly string[],
  {
    input = '',
    cwd = examples,
    env = {},
    closeOutput = false,
  }: Surroundings & { readonly closeOutput?: boolean } = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], { cwd, env: environment(env) });
    let stdout = '';
    let stderr = '';
    if (closeOutput) child.stdout.destroy();
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    // A command that has ended already does not read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** The environment of the tests, without what changes the output. */
export function environment(changes: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const {
    NO_COLOR: _noColor,
    FORCE_COLOR: _forceColor,
    DRAMATURG_DEBUG: _debug,
    ...rest
  } = process.env;
  return { ...rest, ...changes };
}

/** A folder with these files, for as long as the test takes. */
export async function folderWith(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** A plan of one state that asks for a name. */
export function smallPlan(changes: object = {}): string {
  const deliverables = [{ key: 'name', type: 'string', description: 'What is your name?' }];
  return JSON.stringify({
    id: 'small',
    title: 'Small talk',
    states: [
      { id: 'hello', title: 'Hello', tasks: [{ id: 'ask', description: 'Ask', deliverables }] },
    ],
    ...changes,
  });
}

/** The events that `--json` prints. */
export function eventsOf(
  stdout: string,
): { readonly type: string; readonly [field: string]: unknown }[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string });
}

/** Sets variables of the environment until the test ends. */
export function setEnvironment(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
  });
}
