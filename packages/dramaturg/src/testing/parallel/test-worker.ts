import { parentPort } from 'node:worker_threads';
import type { PlacedResult } from '../prepared-tests.ts';
import { prepareTests, type PreparedFile } from '../run-file.ts';

/** Some tests of a file: from the first index up to, not including, the second. */
export interface TestJob {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly only?: string | undefined;
  readonly isRecorded?: boolean;
}

/** The answer of a worker. An error is one that the process itself would throw. */
export type JobAnswer = { readonly results: readonly PlacedResult[] } | { readonly error: unknown };

/** Definitions are compiled once in each worker. */
const prepared = new Map<string, Promise<PreparedFile>>();

parentPort?.on('message', (job: TestJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
  void run(job).then((answer) => parentPort?.postMessage(answer));
});

async function run({ file, from, to, ...options }: TestJob): Promise<JobAnswer> {
  try {
    const preparing = prepared.get(file) ?? prepareTests(file, options);
    prepared.set(file, preparing);
    const { tests } = await preparing;
    const results: PlacedResult[] = [];
    for (const test of tests.slice(from, to)) results.push(await test.run());
    return { results };
  } catch (error) {
    return { error };
  }
}
