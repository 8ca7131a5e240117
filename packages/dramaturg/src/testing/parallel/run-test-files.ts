import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { PlacedResult } from '../prepared-tests.ts';
import {
  countTests,
  type FileResult,
  prepareTests,
  type RunFileOptions,
  runTestFile,
} from '../run-file.ts';
import { TestWorkers } from './test-workers.ts';

/** A thread takes as long to begin as that many tests. */
const testsPerThread = 40;
/** Tests of a job: fewer would cost messages, more would leave threads without work at the end. */
const testsPerJob = 10;

/**
 * Runs the tests of files, on all processors when there are enough of them. Results come in the order of the files and of
 * their tests.
 *
 * @throws as `prepareTests`
 */
export async function* runTestFiles(
  files: readonly string[],
  options: Omit<RunFileOptions, 'ports'>,
): AsyncGenerator<FileResult> {
  const counts = await Promise.all(
    files.map(async (file) => countTests(await readFile(file, 'utf8'), file, options.only)),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  const size = Math.min(availableParallelism(), Math.floor(total / testsPerThread));
  if (size < 2) {
    for (const file of files) yield await runTestFile(file, options);
    return;
  }
  const workers = new TestWorkers(size);
  try {
    const { onResult, ...given } = options;
    const running = files.map((file, index) => runJobs(workers, file, counts[index]!, given));
    for (const [index, file] of files.entries()) {
      const { tests: _, ...prepared } = await prepareTests(file, given);
      const results: PlacedResult[] = [];
      for (const job of running[index]!)
        for (const result of await job) {
          onResult?.(file, result);
          results.push(result);
        }
      yield { ...prepared, results };
    }
  } finally {
    await workers.close();
  }
}

function runJobs(
  workers: TestWorkers,
  file: string,
  count: number,
  options: Pick<RunFileOptions, 'only' | 'isRecorded'>,
): readonly Promise<readonly PlacedResult[]>[] {
  const jobs: Promise<readonly PlacedResult[]>[] = [];
  for (let from = 0; from < count; from += testsPerJob) {
    const job = workers.run({ file, from, to: from + testsPerJob, ...options });
    // It is awaited later, after those before it.
    job.catch(() => undefined);
    jobs.push(job);
  }
  return jobs;
}
