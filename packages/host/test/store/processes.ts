import { execFile, type ExecFileException, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { firstWord } from '../../../../.config/first-word.ts';
import type { Job } from './store-process.ts';

const script = join(import.meta.dirname, 'store-process.ts');

/** The lines that a process printed. */
export type ProcessOutput = readonly Readonly<Record<string, unknown>>[];

/** Runs a job until the process ends, in whatever way. */
export function ran(job: Job, { fileSize }: { fileSize?: number } = {}): Promise<ProcessOutput> {
  const command = [process.execPath, '--no-warnings', script, JSON.stringify(job)];
  // `ulimit -f` counts in blocks. No file of the process can grow beyond the limit.
  const limited =
    fileSize === undefined
      ? command
      : ['sh', '-c', `ulimit -f ${fileSize}; exec "$@"`, 'sh', ...command];
  return new Promise((resolve, reject) => {
    const [program, ...args] = limited as [string, ...string[]];
    execFile(program, args, (error: ExecFileException | null, stdout, stderr) => {
      if (stderr !== '') reject(new Error(stderr, { cause: error }));
      else resolve(linesIn(stdout));
    });
  });
}

/** Starts a process that keeps a store open, and returns a function that kills it. */
export async function processWith(job: Job): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['--no-warnings', script, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  await firstWord(child);
  return kill;
}

/**
 * Starts a process that keeps a store open, in another namespace of process numbers.
 *
 * @returns its number; undefined where that is not permitted
 */
export async function containerWith(job: Job): Promise<number | undefined> {
  const command = [process.execPath, '--no-warnings', script, JSON.stringify(job)];
  const child = spawn('unshare', ['--pid', '--fork', '--mount-proc', ...command], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const hasEnded = once(child, 'close').catch(() => undefined);
  const isOpen = once(child.stdout, 'data');
  if ((await Promise.race([isOpen, hasEnded.then(() => undefined)])) === undefined)
    return undefined;
  const inside = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'));
  onTestFinished(async () => {
    process.kill(inside, 'SIGKILL');
    await hasEnded;
  });
  return inside;
}

function linesIn(text: string): ProcessOutput {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
