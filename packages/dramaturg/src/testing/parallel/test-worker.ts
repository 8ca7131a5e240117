import { parentPort } from 'node:worker_threads';
import type { Example } from '../examples.ts';
import { stageOf } from '../prepared-tests.ts';
import { runTest, type TestResult } from '../run-test.ts';
import { Subjects } from '../subject.ts';
import type { TestFile } from '../test-file.ts';

/** Some tests of a file. */
export interface TestJob {
  readonly file: string;
  readonly fields: Omit<TestFile, 'tests'>;
  readonly examples: readonly Example[];
  readonly isRecorded: boolean;
}

/** The answer of a worker. An error is one that the process itself would throw. */
export type JobAnswer = { readonly results: readonly TestResult[] } | { readonly error: unknown };

/** Definitions are compiled once in each worker. */
const subjects = new Subjects();

parentPort?.on('message', (job: TestJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
  void run(job).then((answer) => parentPort?.postMessage(answer));
});

async function run({ file, fields, examples, isRecorded }: TestJob): Promise<JobAnswer> {
  try {
    const stage = stageOf(fields, await subjects.of(file, fields), { isRecorded });
    const results: TestResult[] = [];
    for (const example of examples) results.push(await runTest(example, stage));
    return { results };
  } catch (error) {
    return { error };
  }
}
