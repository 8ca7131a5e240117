/**
 * A process with a host and a channel that sends messages without waiting for answers. The tests run it as
 * `node senders-process.ts <job>`. It prints the acknowledged ids as lines of JSON, and kills itself at the write point of
 * the store that the job names.
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
  /** The ids of messages that were not acknowledged yet, in order. */
  readonly messages: readonly string[];
  /** The number of write points to pass after the start. The process is killed at the next one. */
  readonly killAfter?: number;
}

const job = JSON.parse(process.argv[2]!) as Job;
const print = (line: unknown) => void writeSync(1, `${JSON.stringify(line)}\n`);

let isSending = false;
let passed = 0;
const atWritePoint = () => {
  if (!isSending) return;
  if (passed === job.killAfter) process.kill(process.pid, 'SIGKILL');
  passed += 1;
};

const place = job.store === 'lowdb' ? lowdbStore : sqliteStore;
const host = await createHost({
  store: place(job.path, { atWritePoint }),
  definitions: { it: compile(JSON.stringify(conversationLifecycle)) },
});
if ((await host.list({})).items.length === 0) await host.start('it', { id: 'a', contact: 'ada' });

async function send(id: string): Promise<void> {
  const answer = await host.receive({ contact: 'ada', id, text: id });
  // A repeated message is stored.
  if (!answer.accepted && answer.code !== 'message/repeated') throw new Error(answer.because);
  print({ acknowledged: id });
}

isSending = true;
const answers: Promise<void>[] = [];
for (const [index, id] of job.messages.entries()) {
  answers.push(send(id));
  // Some come while a write of others runs.
  if (index % 4 === 3) await answers[index - 3];
}
await Promise.all(answers);
isSending = false;
print({ points: passed });
await host.stop();
