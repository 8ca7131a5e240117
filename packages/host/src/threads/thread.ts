import { parentPort } from 'node:worker_threads';
import type { ThreadTask } from '@dramaturg/compiler/machine';

/** A thread for work that would block the event loop. */
parentPort?.on('message', ({ module, input }: ThreadTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
  const send = (answer?: unknown) => parentPort?.postMessage(answer);
  // Fails in a bundle, which does not have the module.
  import(module)
    .then(({ answer }: { answer: (input: unknown) => unknown }) => send(answer(input)))
    .catch(() => send());
});
