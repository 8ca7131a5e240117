import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HostEvent } from '@dramaturg/host';
import { lowdbStore, sqliteStore } from '../../src/index.ts';
import { readStore } from '../../src/store.ts';
import type { Job } from './streams-process.ts';

/** Subscribers of all instances and of a contact, whose host is killed with them, and who go on after their last cursor. */

const script = join(import.meta.dirname, 'streams-process.ts');

/** Write points after which the processes are killed. */
const kills = [7, 113, 401];

/** Runs until the process ends, in whatever way. */
function run(job: Job): Promise<HostEvent[]> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--no-warnings', script, JSON.stringify(job)],
      { maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        if (error && error.signal !== 'SIGKILL') reject(new Error(stderr, { cause: error }));
        // A line that was being written when the process was killed is not complete.
        const lines = stdout.split('\n').slice(0, -1);
        resolve(lines.map((line) => JSON.parse(line)));
      },
    );
  });
}

test.each([
  ['lowdb', {}],
  ['sqlite', { contact: 'bob' }],
] as const)(
  'no event of a stream on %s is missing or comes twice when its hosts are killed: %o',
  async (store, filter) => {
    const folder = mkdtempSync(join(tmpdir(), 'dramaturg-streams-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'store');
    const seen: HostEvent[] = [];
    for (const [round, killAfter] of [...kills, undefined].entries()) {
      const after = seen.at(-1)?.cursor ?? 'beginning';
      const job = { store, path, after, seen: seen.length, round, ...filter };
      seen.push(...(await run(killAfter === undefined ? job : { ...job, killAfter })));
    }
    const reader = await readStore((store === 'lowdb' ? lowdbStore : sqliteStore)(path));
    onTestFinished(() => reader.stop());
    const { items } = await reader.list(filter);
    expect(items.length).toBe('contact' in filter ? 1 : 3);
    for (const { id } of items) {
      const lines = await reader.journal(id, { from: 0, limit: 10_000 });
      const events = (lines as unknown as HostEvent[])
        .filter(({ source }) => (source as string) !== 'step')
        .map(({ at, event: { type } }) => `${at} ${type}`);
      const found = seen
        .filter(({ instance }) => instance === id)
        .map(({ at, event: { type } }) => `${at} ${type}`);
      expect(events.length).toBeGreaterThan(5);
      expect(found).toEqual(events);
    }
    expect(new Set(seen.map(({ instance }) => instance)).size).toBe(items.length);
    expect(new Set(seen.map(({ cursor }) => cursor)).size).toBe(seen.length);
  },
);
