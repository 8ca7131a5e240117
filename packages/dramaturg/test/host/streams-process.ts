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
  /** Only the events of this contact. */
  readonly contact?: string;
  /** Distinguishes the messages of this process from those of the others. */
  readonly round: number;
  /** The number of write points to pass after the start. The process is killed at the next one. */
  readonly killAfter?: number;
}

const job = JSON.parse(process.argv[2]!) as Job;
const { after, contact: wanted, killAfter, round } = job;

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
const events = host.events({ after, ...(wanted === undefined ? {} : { contact: wanted }) });
const printing = (async () => {
  for await (const event of events) writeSync(1, `${JSON.stringify(event)}\n`);
})();

if (killAfter === undefined) {
  await host.settle();
  // The stream has read what is stored.
  await new Promise((resolve) => setTimeout(resolve, 300));
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
