import { Worker } from 'node:worker_threads';
import type { Difference } from './layout.ts';
import type { Lane } from './run.ts';

export interface WorkerLaneOptions {
  /** The script of the thread: it receives the index of a case and answers with the outcome. */
  readonly script: URL;
  readonly folder: string;
  /** Milliseconds after which a case fails. */
  readonly deadline: number;
  /** The memory of the thread: more than any case needs. A case that exceeds it ends its worker, but not the run. */
  readonly memoryMb?: number;
}

/**
 * Runs cases in a separate thread. A case that hangs, ends the process or runs out of memory fails alone: the next case
 * gets a new thread. The lane owns the thread, which does not exist before the first case and after a failure.
 */
export function workerLane({ script, folder, deadline, memoryMb = 1024 }: WorkerLaneOptions): Lane {
  let worker: Worker | undefined;
  const open = (): Worker => {
    const opened = new Worker(script, {
      workerData: { folder },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    const forget = () => {
      if (worker === opened) worker = undefined;
    };
    return opened.on('error', forget).on('exit', forget);
  };
  return {
    perform: (index) =>
      new Promise<Difference | undefined>((resolve) => {
        const current = (worker ??= open());
        const end = (difference?: Difference) => {
          clearTimeout(timeout);
          current.off('message', end).off('error', broke).off('exit', exited);
          resolve(difference);
        };
        const fail = (actual: string) => {
          worker = undefined;
          void current.terminate();
          end({ expected: 'a result', actual });
        };
        const broke = (error: Error) => fail(error.message);
        const exited = () => fail('the case ended the process');
        const timeout = setTimeout(
          () => fail(`nothing within ${deadline / 1000} seconds`),
          deadline,
        );
        current.on('message', end).on('error', broke).on('exit', exited);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Only windows have origins.
        current.postMessage(index);
      }),
    close: async () => {
      await worker?.terminate();
    },
  };
}
