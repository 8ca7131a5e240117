import { parentPort, workerData } from 'node:worker_threads';
import { layoutOf, outcomeOf } from './run.ts';

/** The thread of a lane: it receives the index of a case and answers with the outcome. */
const { folder } = workerData as { folder: string };
const cases = layoutOf(folder).cases(folder);

async function answer(index: number): Promise<void> {
  const outcome = await outcomeOf(cases[index]!);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Only windows have origins.
  parentPort!.postMessage(outcome);
}

parentPort!.on('message', (index: number) => void answer(index));
