import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Processes that a loop without an end holds, and that are killed. */

const script = join(import.meta.dirname, 'poisoned-host.ts');

/** Runs a process until it ends, or until it loops: then it is killed. @returns the lines that it has printed */
function linesOf(...args: string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--no-warnings', script, ...args]);
    let [out, errors] = ['', ''];
    child.stderr.on('data', (part) => (errors += part));
    child.stdout.on('data', (part) => {
      out += part;
      if (out.includes('loops\n')) child.kill('SIGKILL');
    });
    child.on('close', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve(out.trim().split('\n'));
      else reject(new Error(errors));
    });
  });
}

test.each([
  ['lowdb', 'cancel'],
  ['sqlite', 'resume'],
] as const)(
  'a loop without an end does not hold the store for long, on %s, and the instance is ended by %s',
  async (store, act) => {
    const folder = mkdtempSync(join(tmpdir(), 'dramaturg-quarantine-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    expect(await linesOf(folder, store, '1')).toEqual(['ended 1', 'loops']);
    // This host does not know yet which instance it was.
    expect((await linesOf(folder, store, '2')).at(-1)).toBe('loops');
    expect(await linesOf(folder, store, '3')).toEqual(['ended 3', 'loops']);
    expect(await linesOf(folder, store, '4', act)).toEqual([
      'ended 4',
      'was setAside',
      act === 'resume' ? 'is COMPLETED undefined' : 'is FAILED undefined',
    ]);
  },
);
