import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Finds the processes that tests leave running. Each child inherits marks in its environment, also a detached child, and also when its
 * parent was killed. Linux shows the environment of a process; elsewhere nothing is found.
 */
const ofRun = 'DRAMATURG_TEST_RUN';
const ofFile = 'DRAMATURG_TEST_FILE';

/** Time for processes that are about to end, such as services of a bundler after their parent has ended. */
const endWithinMs = 10_000;

/** Marks all children that this process starts from now on, and kills them when this process is interrupted. */
export function markRun(): string {
  // A run inside a run, such as that of a recipe, is marked as a part of both.
  const mark = [process.env[ofRun], randomUUID()].filter(Boolean).join('/');
  process.env[ofRun] = mark;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      for (const { id } of processesWith(mark)) kill(id);
      process.kill(process.pid, signal);
    });
  return mark;
}

/** Marks the children that the tests of a file start. Servers that several files share remove the mark: they end with the run. */
export function markFile(file: string): string {
  const mark = `${file}#${process.pid}`;
  process.env[ofFile] = mark;
  return mark;
}

/** Kills the marked processes that still run. @returns their commands */
export async function endProcesses(mark: string): Promise<readonly string[]> {
  const giveUpAt = Date.now() + endWithinMs;
  let left = processesWith(mark);
  while (left.length > 0 && Date.now() < giveUpAt) {
    await pause(20);
    left = processesWith(mark);
  }
  for (const { id } of left) kill(id);
  return left.map(({ command }) => command);
}

function processesWith(mark: string): { readonly id: number; readonly command: string }[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    const id = Number(name);
    if (Number.isNaN(id) || id === process.pid) return [];
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(`=${mark}`)) return [];
      return [{ id, command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
    } catch {
      // The process has ended, or belongs to another user.
      return [];
    }
  });
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
