/**
 * A process with a host, a few contacts who write to it, and a subscriber that goes on after a cursor. The tests run it as
 * `node streams-process.ts <job>`. It prints each event of the subscriber as a line of JSON, and kills itself at the write point of the
 * store that the job names. Without one, it sends nothing, and stops when all stored events are printed.
 */
import { writeSync } from 'node:fs';
import {
  compile,
  conversationLifecycle,
  createHost,
  lowdbStore,
  sqliteStore,
} from '../../src/index.ts';

export interface Job {
  readonly store: 'lowdb' | 'sqlite';
  readonly path: string;
  readonly after: string;
  /** The number of events up to that cursor. */
  readonly seen: number;
  /** Only the events of this contact. */
  readonly contact?: string;
  /** Distinguishes the messages of this process from those of the others. */
  readonly round: number;
  /** The number of write points to pass after the start. The process is killed at the next one. */
  readonly killAfter?: number;
}

const job = JSON.parse(process.argv[2]!) as Job;
const { after, contact: wanted, killAfter, round, seen } = job;

let passed = -1;
const atWritePoint = () => {
  if (passed === -1) return;
  if (passed === killAfter) process.kill(process.pid, 'SIGKILL');
  passed += 1;
};

const [place, more] =
  job.store === 'lowdb' ? [lowdbStore, { journalSize: 20_000 }] : [sqliteStore, {}];
const host = await createHost({
  store: place(job.path, { atWritePoint, ...more }),
  definitions: { it: compile(JSON.stringify(conversationLifecycle)) },
});
const filter = wanted === undefined ? {} : { contact: wanted };
const events = host.events({ after, ...filter });
const progress = { printed: 0 };
const printing = (async () => {
  for await (const event of events) {
    writeSync(1, `${JSON.stringify(event)}\n`);
    progress.printed += 1;
  }
})();

if (killAfter === undefined) {
  await host.settle();
  const stored = await storedEvents();
  while (seen + progress.printed < stored) await new Promise((resolve) => setTimeout(resolve, 10));
  await host.stop();
  await printing;
} else {
  passed = 0;
  const contacts = ['ada', 'bob', 'cleo'];
  for (let number = 0; ; number += 1) {
    const sent = contacts.map(async (contact) => {
      const id = `of-${contact}`;
      const message = { contact, id: `${round}/${number}`, text: `${round}/${number}` };
      await host.start('it', { id, contact }).catch(() => {});
      await host.receive(message);
    });
    await Promise.all(sent);
  }
}

/** The number of events of the chosen instances. */
async function storedEvents(): Promise<number> {
  let count = 0;
  for (const { id } of (await host.list(filter)).items) {
    const lines = await host.journal(id, { from: 0, limit: 10_000 });
    count += lines.filter((line) => (line as { source: string }).source !== 'step').length;
  }
  return count;
}
