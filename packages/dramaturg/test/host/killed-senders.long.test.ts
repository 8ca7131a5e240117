import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lowdbStore, sqliteStore } from '../../src/index.ts';
import { readStore } from '../../src/store.ts';
import type { Job } from './senders-process.ts';

/** Messages of one contact in processes that are killed, whose channel sends again what was not acknowledged. */

const script = join(import.meta.dirname, 'senders-process.ts');
const messages = Array.from({ length: 24 }, (_, index) => `m${index + 1}`);

interface Printed {
  readonly acknowledged?: string;
  readonly points?: number;
}

/** Runs until the process ends, in whatever way. */
function run(job: Job): Promise<{ readonly killed: boolean; readonly printed: Printed[] }> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--no-warnings', script, JSON.stringify(job)],
      (error, stdout, stderr) => {
        if (error && error.signal !== 'SIGKILL') reject(new Error(stderr, { cause: error }));
        const lines = stdout.split('\n').filter((line) => line !== '');
        resolve({ killed: error !== null, printed: lines.map((line) => JSON.parse(line)) });
      },
    );
  });
}

const unacknowledged = (given: readonly string[], printed: readonly Printed[]) =>
  given.filter((id) => !printed.some(({ acknowledged }) => acknowledged === id));

describe.each(['lowdb', 'sqlite'] as const)('%s', (store) => {
  const placeOf = (path: string) => (store === 'lowdb' ? lowdbStore : sqliteStore)(path);
  const newPath = () => {
    const folder = mkdtempSync(join(tmpdir(), 'dramaturg-senders-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return join(folder, 'store');
  };

  test('H3: messages stay in order of arrival across kills at write points', async () => {
    const whole = await run({ store, path: newPath(), messages });
    const points = whole.printed.at(-1)!.points!;
    expect(points).toBeGreaterThan(6);
    const path = newPath();
    let left: readonly string[] = messages;
    // The second process is killed as well, while it repeats.
    for (const killAfter of [points >> 1, 1, undefined]) {
      const job = { store, path, messages: left };
      const ran = await run(killAfter === undefined ? job : { ...job, killAfter });
      expect(ran.killed).toBe(killAfter !== undefined);
      left = unacknowledged(left, ran.printed);
    }
    expect(left).toEqual([]);
    const reader = await readStore(placeOf(path));
    const lines = await reader.transcript('a', { from: 0, limit: 1_000 });
    await reader.stop();
    const received = lines.flatMap(({ id, role }) => (role === 'contact' ? [id] : []));
    expect(received).toEqual(messages);
  });
});
