/**
 * A process with a host whose definition has a loop without an end. The tests run it as
 * `node poisoned-host.ts <folder> <lowdb|sqlite> <number> [resume|cancel]`. It starts an instance with the number, then the instance
 * `poison`, unless it exists, and acts on `poison`. It prints what it sees. Time passes only when the first one has ended.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Chart, compile } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import { createHost, type Host, lowdbStore, manualClock, sqliteStore } from '@dramaturg/host';
import { lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';

const [folder, kind, number, act] = process.argv.slice(2) as [string, string, string, string?];
const path = join(folder, 'store');
const print = (text: string) => void writeSync(1, `${text}\n`);

/** A job whose answer makes a guard loop, if its id is `poison` and nobody resumes it. */
const behaviour: Behaviour = {
  contexts: { job: ({ input }) => ({ id: (input as { readonly id: string }).id }) },
  guards: {
    isDone: ({ context }) => {
      if ((context as { readonly id: string }).id !== 'poison' || act === 'resume') return true;
      print('loops');
      for (;;);
    },
  },
  actions: {},
  inputs: {
    work: ({ context }) => {
      const { id } = context as { readonly id: string };
      return { key: `${id}/work`, agent: 'work', input: null };
    },
  },
  outputs: { job: () => ({ status: 'succeeded', output: 'done' }) },
};

const job: Chart = {
  chart: 1,
  format: 'loops',
  id: 'job',
  context: { type: 'job' },
  output: { type: 'job' },
  initial: 'working',
  states: {
    working: {
      invoke: [
        {
          id: 'work',
          src: 'runAgent',
          input: { type: 'work' },
          onDone: [{ guard: { type: 'isDone' }, target: 'over' }],
          onError: [],
        },
      ],
    },
    over: { type: 'final' },
  },
};

const workflow = compile(JSON.stringify(workflowLifecycle), { formats: [lifecycle] });
const clock = manualClock({ startAt: 1_800_000_000_000 });
const host: Host = await createHost({
  store: kind === 'lowdb' ? lowdbStore(path) : sqliteStore(path),
  clock,
  definitions: [{ name: 'job', chart: job, lifecycle: workflow.chart! }],
  behaviours: new Map<string, Behaviour>([
    ['loops', behaviour],
    ['lifecycle', lifecycle.behaviour],
  ]),
  ports: { runAgent: async () => ({ result: 'done' }) },
  channels: {},
});

const begun = await host.get('poison').catch(() => undefined);
await host.start('job', { id: number });
while (!(await host.get(number)).ended) await new Promise((resolve) => void setImmediate(resolve));
print(`ended ${number}`);
if (!begun) await host.start('job', { id: 'poison' });
// A suspect is decided after the others.
clock.set(clock.now() + 10_000);
if (act === 'resume' || act === 'cancel') {
  print(`was ${(await host.get('poison')).queue}`);
  await host[act]('poison');
  await host.settle();
  const { state, queue } = await host.get('poison');
  print(`is ${state} ${queue}`);
  await host.stop();
}
