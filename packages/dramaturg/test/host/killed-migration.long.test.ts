import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InstanceHistory } from '@dramaturg/host';
import { expect, onTestFinished, test } from 'vitest';
import { behaviours } from '../../src/host.ts';
import { compile, createHost, lowdbStore, sqliteStore, understudyPorts } from '../../src/index.ts';

/** A migration in a process that is killed at each of its writes, before and after it. */

const script = join(import.meta.dirname, 'killed-migration.ts');

function plan(last: string): string {
  const ask = { id: 'name', deliverables: [{ key: 'name', type: 'string' }] };
  const facts = {
    id: 'facts',
    title: 'Facts',
    tasks: [ask],
    transitions: [{ target_state_id: last, condition_type: 'all_tasks_complete' }],
  };
  const end = { id: last, title: 'End', tasks: [{ id: 'bye', instruction: 'Say goodbye' }] };
  return JSON.stringify({ id: 'intake', title: 'Intake', states: [facts, end] });
}

const ids = ['a', 'b'];

async function opened(kind: string, path: string) {
  const host = await createHost({
    store: kind === 'lowdb' ? lowdbStore(path) : sqliteStore(path),
    definitions: { intake: compile(plan('done'), { format: 'plan' }) },
    ports: understudyPorts(),
    channels: { main: { deliver: () => {} } },
    onError: (error) => {
      // A busy machine is slow.
      if ((error as { code?: string }).code !== 'host/slow-step') throw error;
    },
  });
  return host;
}

/** @returns whether the process was killed */
function migrate(kind: string, path: string, write: number, when: string): Promise<boolean> {
  const args = ['--no-warnings', script, kind, path, String(write), when, plan('farewell')];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, (error, _, stderr) => {
      if (error && error.signal !== 'SIGKILL') reject(new Error(stderr, { cause: error }));
      else resolve(error !== null);
    });
  });
}

test.each(['lowdb', 'sqlite'])(
  '%s: each instance has the old version or the new one, whole',
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'dramaturg-migration-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const origin = join(folder, 'origin');
    const first = await opened(kind, origin);
    for (const id of ids) await first.start('intake', { id, contact: id });
    await first.settle();
    const { version: old } = (await first.get('a')).definition;
    await first.stop();
    let kills = 0;
    for (const when of ['before', 'after']) {
      for (let write = 1; ; write += 1) {
        const path = join(folder, `${when}-${write}`);
        cpSync(origin, path, { recursive: true });
        const isKilled = await migrate(kind, path, write, when);
        if (isKilled) kills += 1;
        const host = await opened(kind, path);
        const versions: string[] = [];
        for (const id of ids) {
          const { definition } = await host.get(id);
          versions.push(definition.version === old ? 'old' : 'new');
          const history = new InstanceHistory({ id, charts: await host.charts(id), behaviours });
          await history.take(await host.journal(id, { from: 0, limit: 10_000 }));
          expect(history.departures).toEqual([]);
          expect(history.view().flow).toEqual((await host.get(id)).flow);
          await host.receive({ contact: id, text: 'My name is Ada.' });
        }
        await host.settle();
        expect({ isKilled, isDone: versions.every((each) => each === 'new') }).not.toEqual({
          isKilled: false,
          isDone: false,
        });
        await host.stop();
        if (!isKilled) break;
      }
    }
    // At least one write for each instance, before and after it.
    expect(kills).toBeGreaterThanOrEqual(2 * ids.length);
  },
  600_000,
);
