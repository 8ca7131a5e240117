/**
 * A process that writes to a store, run by the tests as `node store-process.ts <job>`. It prints acknowledged writes as
 * lines of JSON, and kills itself at the write point that the job names.
 */
import { writeSync } from 'node:fs';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

export interface Job {
  readonly store: 'lowdb' | 'sqlite';
  readonly path: string;
  /** The number of write points to pass. The process is killed at the next one. */
  readonly killAfter?: number;
  /** Prints the names of the write points. */
  readonly printPoints?: boolean;
  /** Keeps the store open until the process is killed. */
  readonly stay?: boolean;
  /** Enqueues letters with this many characters until the store refuses one. */
  readonly fillWith?: number;
  /** Runs as a user without write permission, if the process may switch users. */
  readonly asNobody?: boolean;
}

const job = JSON.parse(process.argv[2]!) as Job;

function print(line: unknown): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

let passed = 0;
function atWritePoint(point: string): void {
  if (job.printPoints === true) print({ point });
  if (passed === job.killAfter) process.kill(process.pid, 'SIGKILL');
  passed += 1;
}

const options = {
  onError: ({ code }: { code: string }) => print({ error: code }),
  ...(job.killAfter === undefined && job.printPoints !== true ? {} : { atWritePoint }),
};

async function main(): Promise<void> {
  if (job.asNobody === true && process.getuid?.() === 0) process.setuid!(65_534);
  const place =
    job.store === 'lowdb'
      ? lowdbStore(job.path, { ...options, logSize: 600 })
      : sqliteStore(job.path, options);
  const store = await place.open('the process of a test');
  print({ opened: true });
  if (job.stay === true) {
    setInterval(() => undefined, 1_000);
    return;
  }
  if (job.fillWith !== undefined) {
    await store.create({ id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot: null });
    for (let letter = 1; ; letter += 1) {
      const body = 'x'.repeat(job.fillWith);
      await store.enqueue({ id: 'a', letter: { id: `m${letter}`, body } });
      print({ enqueued: letter });
    }
  }
  await store.create({
    id: 'a',
    kind: 'k',
    createdAt: 1,
    status: 's',
    snapshot: 1,
    journal: [1],
    outbox: [{ id: 'e', body: 'hello' }],
  });
  print({ revision: 1 });
  await store.acknowledge({ id: 'a', letter: 'e' });
  print({ acknowledged: true });
  for (let revision = 2; revision <= 8; revision += 1) {
    const turn = Promise.all([
      store.enqueue({ id: 'a', letter: { id: `m${revision}`, body: revision } }),
      store.commit({
        id: 'a',
        expectedRevision: revision - 1,
        snapshot: revision,
        timers: [{ key: 't', at: revision }],
        journal: [revision],
        transcript: [`turn ${revision}`.padEnd(100)],
      }),
    ]);
    await turn;
    print({ revision });
  }
  await store.close();
  print({ closed: true });
}

try {
  await main();
} catch (error) {
  print({ failed: (error as { code?: string }).code ?? String(error) });
  process.exitCode = 1;
}
