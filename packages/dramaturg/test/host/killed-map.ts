/**
 * A process that runs a Map on a host. The tests run it as `node killed-map.ts <folder>`. The folder contains `job.json` and
 * the store. The process kills itself at the calls that the job names; the next one continues.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, createHost, type JsonObject, lowdbStore, sqliteStore } from '../../src/index.ts';

export interface Job {
  readonly store: 'lowdb' | 'sqlite';
  readonly definition: JsonObject;
  readonly items: number;
  /** The process kills itself when so many calls have been made, in all processes. */
  readonly killedAt: readonly number[];
}

const folder = process.argv[2]!;
const job = JSON.parse(readFileSync(join(folder, 'job.json'), 'utf8')) as Job;
const calls = join(folder, 'calls');
const made = () => (existsSync(calls) ? readFileSync(calls, 'utf8').split('\n').length - 1 : 0);
let count = made();

const path = join(folder, 'store');
const host = await createHost({
  store: job.store === 'lowdb' ? lowdbStore(path) : sqliteStore(path),
  definitions: {
    flow: compile(JSON.stringify(job.definition), {
      format: 'asl',
      options: { dialect: 'amazon' },
    }),
  },
  ports: {
    runAgent: async ({ key, input }) => {
      appendFileSync(calls, `${JSON.stringify({ key, input })}\n`);
      count += 1;
      if (job.killedAt.includes(count)) process.kill(process.pid, 'SIGKILL');
      // Some answers arrive together, some alone, and not in the order of the calls.
      const pause = Number(input) % 3;
      for (let turn = 0; turn < pause * 4; turn += 1)
        await new Promise((resolve) => void setImmediate(resolve));
      return { result: { of: input } };
    },
  },
  channels: {},
});

// Some process before has started it, unless it was killed before that was stored.
const begun = await host.get('run').catch(() => undefined);
const items = Array.from({ length: job.items }, (_, index) => index);
if (!begun) await host.start('flow', { id: 'run', input: { input: { items } } });
while (!(await host.get('run')).ended) await host.settle();
const { output } = await host.get('run');
writeFileSync(join(folder, 'output.json'), JSON.stringify(output));
await host.stop();
