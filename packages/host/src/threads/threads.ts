import type { ThreadTask } from '@dramaturg/compiler/machine';
import type { InThread } from '../instance/left-work.ts';

/** The module of threads; undefined in a web page. */
const module = globalThis.process?.getBuiltinModule?.('node:worker_threads');
type Thread = InstanceType<NonNullable<typeof module>['Worker']>;

/** One thread does all tasks, one after another. It is kept, because it takes longer to start than most tasks. */
let thread: Thread | undefined;
let last: Promise<unknown> = Promise.resolve();
/** Resolves the present task with an answer. */
let give: (answer?: unknown) => void = () => {};

export const answerInThread: InThread | undefined =
  module &&
  ((task) => {
    const answer = last.then(() => asked(task, module.Worker));
    last = answer;
    return answer;
  });

function asked(task: ThreadTask, Worker: new (url: URL) => Thread): Promise<unknown> {
  return new Promise((resolve) => {
    give = (answer) => {
      thread?.unref();
      resolve(answer);
    };
    // Some processes may not start a thread, and some values cannot be sent.
    try {
      const present = (thread ??= started(Worker));
      present.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
      present.postMessage(task);
    } catch {
      give();
    }
  });
}

function started(Worker: new (url: URL) => Thread): Thread {
  const fail = () => {
    if (thread !== made) return;
    thread = undefined;
    give();
  };
  // Bundlers would take a relative address for a file to bundle.
  const beside = import.meta.url.replace(/threads(\.\w+)$/, 'thread$1');
  const made = new Worker(new URL(beside))
    .on('message', (answer) => give(answer))
    .on('error', fail)
    .on('exit', fail)
    .on('messageerror', () => give());
  return made;
}
