/**
 * A process that writes to a store, run by the tests as `node store-process.ts <job>`. It prints acknowledged writes as
 * lines of JSON, and kills itself at the write point that the job names.
 */
import { writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { StoreLocation } from '../../src/store/contract.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { writeRevisions } from './revisions.ts';

export interface Job {
  readonly store: 'lowdb' | 'sqlite';
  readonly path: string;
  /** The number of write points to pass. The process is killed at the next one. */
  readonly killAfter?: number;
  /** Keeps the store open until the process is killed. */
  readonly stay?: boolean;
  /** Decides letters, each longer by this many characters than the one before, until the store refuses one. */
  readonly fillWith?: number;
  /** Opens the store at each of these times, adds 1 to the snapshot of 'a', and closes it. */
  readonly openAt?: readonly number[];
  /** Exits without closing the store. */
  readonly exit?: boolean;
  /** Only reads the snapshot of the record 'a', without opening the store. */
  readonly read?: boolean;
  /** Runs as a user without write permission, if the process may switch users. */
  readonly asNobody?: boolean;
}

const job = JSON.parse(process.argv[2]!) as Job;

function print(line: unknown): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

let passed = 0;
function atWritePoint(): void {
  if (passed === job.killAfter) process.kill(process.pid, 'SIGKILL');
  passed += 1;
}

const options = {
  onError: ({ code }: { code: string }) => print({ error: code }),
  ...(job.killAfter === undefined ? {} : { atWritePoint }),
};

/** Opens a store at a time, at the same instant as other processes. */
async function race(place: StoreLocation, time: number): Promise<void> {
  await setTimeout(time - Date.now());
  try {
    const store = await place.open('the process of a test');
    const found = await store.read('a');
    const snapshot = ((found?.snapshot as number | undefined) ?? 0) + 1;
    await (found === undefined
      ? store.create({ id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot })
      : store.commit({ id: 'a', expectedRevision: found.revision, snapshot }));
    print({ stored: snapshot });
    await store.close();
  } catch (error) {
    print({ refused: (error as { code?: string }).code ?? String(error) });
  }
}

async function main(): Promise<void> {
  if (job.asNobody === true && process.getuid?.() === 0) process.setuid!(65_534);
  const place =
    job.store === 'lowdb'
      ? lowdbStore(job.path, { ...options, journalSize: 600 })
      : sqliteStore(job.path, options);
  if (job.read === true) {
    const reader = await place.read();
    print({ read: (await reader.read('a'))?.snapshot });
    return;
  }
  if (job.openAt !== undefined) {
    for (const time of job.openAt) await race(place, time);
    return;
  }
  const store = await place.open('the process of a test');
  print({ opened: true });
  if (job.stay === true) {
    setInterval(() => undefined, 1_000);
    return;
  }
  if (job.fillWith !== undefined) {
    await store.create({ id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot: null });
    for (let letter = 1; ; letter += 1) {
      const body = 'x'.repeat(letter * job.fillWith);
      const effects = [{ id: `m${letter}`, body }];
      await store.commit({ id: 'a', expectedRevision: letter, effects });
      print({ letter });
    }
  }
  await writeRevisions(store, print);
  if (job.exit === true) process.exit();
  await store.close();
  print({ closed: true });
}

try {
  await main();
} catch (error) {
  print({ failed: (error as { code?: string }).code ?? String(error) });
  process.exitCode = 1;
}
