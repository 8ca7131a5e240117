import { availableParallelism } from 'node:os';
import {
  examplesIn,
  type PlacedExample,
  placedResult,
  type PlacedResult,
} from '../prepared-tests.ts';
import { withoutNamedCases } from '../mocks/mock-tests.ts';
import type { ReadTestFile } from '../read-test-file.ts';
import { type FileResult, readTests, type RunFileOptions, runTestFile } from '../run-file.ts';
import { Subjects } from '../subject.ts';
import { TestWorkers } from './test-workers.ts';

/** Starting a thread takes as long as this many tests. */
const testsPerThread = 40;
/** Tests of a job: fewer would cost messages, more would leave threads without work at the end. */
const testsPerJob = 10;

/**
 * Runs the tests of files, on all processors when there are enough of them. Results come in the order of the files and of
 * their tests.
 *
 * @throws as `Subjects.of`; UsageError `test/thread-ended` when a thread dies
 */
export async function* runTestFiles(
  files: readonly string[],
  options: Omit<RunFileOptions, 'ports'>,
): AsyncGenerator<FileResult> {
  const subjects = new Subjects();
  const reads: { file: string; read: ReadTestFile }[] = [];
  for (const file of files)
    for (const read of await readTests(file, options.input)) reads.push({ file, read });
  const all = withoutNamedCases(reads).map(({ file, read }) => ({
    file,
    read,
    examples: read.file ? examplesIn(read.file, options.only) : [],
  }));
  const total = all.reduce((sum, { examples }) => sum + examples.length, 0);
  const size = Math.min(availableParallelism(), Math.floor(total / testsPerThread));
  if (size < 2) {
    for (const { file, read } of all) yield await runTestFile(file, read, subjects, options);
    return;
  }
  const workers = new TestWorkers(size);
  try {
    const running = all.map(({ file, read, examples }) =>
      runJobs(workers, file, read, examples, options),
    );
    for (const [index, { file, read }] of all.entries()) {
      const { source, diagnostics } = read;
      // Compiles the definition here too: this prints its warnings, and an error keeps all its fields, which it would lose
      // between threads.
      const subject = read.file && (await subjects.of(file, read.file));
      const results: PlacedResult[] = [];
      for (const job of running[index]!)
        for (const result of await job) {
          options.onResult?.(file, result);
          results.push(result);
        }
      yield { file, source, diagnostics, ...(subject ? { subject } : {}), results };
    }
  } finally {
    await workers.close();
  }
}

/** Runs tests in threads, which read neither test files nor their places. */
function runJobs(
  workers: TestWorkers,
  file: string,
  { source, file: read }: ReadTestFile,
  examples: readonly PlacedExample[],
  { isRecorded = false }: RunFileOptions,
): readonly Promise<readonly PlacedResult[]>[] {
  const jobs: Promise<readonly PlacedResult[]>[] = [];
  if (!read) return jobs;
  const { tests: _, ...fields } = read;
  for (let from = 0; from < examples.length; from += testsPerJob) {
    const some = examples.slice(from, from + testsPerJob);
    const given = { file, fields, examples: some.map(({ example }) => example), isRecorded };
    const job = workers
      .run(given)
      .then((results) =>
        results.map((each, index) => placedResult(each, some[index]!.path, source)),
      );
    // The job is awaited later, after the jobs before it.
    job.catch(() => undefined);
    jobs.push(job);
  }
  return jobs;
}
