/**
 * A process that plays a conversation on a host. The tests run it as `node killed-conversation.ts <folder>`. The folder
 * contains `job.json` and the store. The process kills itself where the job says so; the next one continues.
 */
import { portSchemas } from '@dramaturg/compiler';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compile,
  createHost,
  type Json,
  type JsonObject,
  lowdbStore,
  sqliteStore,
} from '../../src/index.ts';
import { withoutRepeating } from './without-repeating.ts';

export interface Job {
  readonly store: 'lowdb' | 'sqlite';
  readonly definition: { readonly text: string; readonly fileName: string };
  readonly options?: JsonObject;
  readonly input?: JsonObject;
  /** The messages of the person, in order. */
  readonly texts: readonly string[];
  /** Whether the conversation starts with the first message. */
  readonly personBegins: boolean;
  /** The answer of each call, by port and key. */
  readonly answers: Readonly<Record<string, Json>>;
  /** The call that fails the first time. */
  readonly failing: string;
}

const folder = process.argv[2]!;
const job = JSON.parse(readFileSync(join(folder, 'job.json'), 'utf8')) as Job;
const id = 'conversation';

/** @returns whether it is the first time, in all processes */
function isFirst(what: string): boolean {
  const mark = join(folder, what);
  if (existsSync(mark)) return false;
  writeFileSync(mark, '');
  return true;
}

const die = () => process.kill(process.pid, 'SIGKILL');

function answer(port: string, key: string): unknown {
  const call = `${port} ${key}`;
  if (call === job.failing) {
    if (isFirst('failed')) throw new Error('an outage');
    if (isFirst('repeated')) die();
  }
  return job.answers[call];
}

const path = join(folder, 'store');
const host = await createHost({
  store: job.store === 'lowdb' ? lowdbStore(path) : sqliteStore(path),
  definitions: {
    it: withoutRepeating(
      compile(job.definition.text, {
        fileName: job.definition.fileName,
        ...(job.options ? { options: job.options } : {}),
      }),
    ),
  },
  ports: Object.fromEntries(
    Object.keys(portSchemas).map((port) => [
      port,
      ({ key }: { readonly key: string }) => answer(port, key),
    ]),
  ),
  channels: { main: { deliver: () => {} } },
});

/** Runs until the conversation waits or has ended. Retries after the failure. */
async function settle(): Promise<void> {
  for (;;) {
    await host.settle();
    const { state } = await host.get(id);
    if (state !== 'NEEDS_HUMAN_INTERVENTION') return;
    // The failure is stored.
    if (isFirst('killed')) die();
    if (!isFirst('resumed')) return;
    await host.resume(id);
  }
}

const messages = job.texts.map((text, index) => ({ id: `m${index}`, text }));
const [message] = messages;
if ((await host.list({})).items.length === 0) {
  await host.start('it', {
    id,
    contact: 'somebody',
    ...(job.input ? { input: job.input } : {}),
    ...(job.personBegins && message ? { message } : {}),
  });
}
await settle();
// Messages that were accepted before are refused.
for (const each of messages) {
  await host.send(id, { type: 'message.received', ...each });
  await settle();
}
await host.stop();
