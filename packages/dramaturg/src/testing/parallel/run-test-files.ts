import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { exitCodes, UsageError } from '../../cli/usage-error.ts';
import { withoutNamedCases } from '../mocks/mock-tests.ts';
import { type FileResult, readTests, type RunFileOptions, runTestFile } from '../run-file.ts';
import {
  examplesIn,
  type PlacedExample,
  placedResult,
  type PlacedResult,
} from '../prepared-tests.ts';
import type { ReadTestFile } from '../read-test-file.ts';
import type { TestResult } from '../run-test.ts';
import { Subjects } from '../subject.ts';
import type { JobAnswer, TestJob } from './test-worker.ts';

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

/** The objects of a test are garbage after it. With Node's default size, a tenth of the time goes to copying them. */
const maxYoungGenerationSizeMb = 96;

interface WaitingJob {
  readonly job: TestJob;
  readonly done: (answer: JobAnswer) => void;
}

/** Threads that run tests. Each has one job at a time, and begins when there is one for it. Owns the threads until `close`. */
class TestWorkers {
  readonly #size: number;
  readonly #waiting: WaitingJob[] = [];
  readonly #idle = new Set<Worker>();
  readonly #running = new Map<Worker, WaitingJob>();
  #isClosed = false;

  /** @param size the most threads */
  constructor(size: number) {
    this.#size = size;
  }

  /**
   * Runs a job when a thread is free, in the order of the calls.
   *
   * @throws UsageError `test/thread-ended` when its thread dies
   */
  async run(job: TestJob): Promise<readonly TestResult[]> {
    const answer = await new Promise<JobAnswer>((done) => {
      this.#waiting.push({ job, done });
      this.#next();
    });
    if ('error' in answer) throw answer.error;
    return answer.results;
  }

  /** Ends the threads. Jobs that have not begun are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const workers = [...this.#idle, ...this.#running.keys()];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#isClosed) return;
    const worker = this.#idleWorker();
    if (!worker) return;
    const waiting = this.#waiting.shift()!;
    this.#running.set(worker, waiting);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
    worker.postMessage(waiting.job);
  }

  #idleWorker(): Worker | undefined {
    const [idle] = this.#idle;
    if (idle) {
      this.#idle.delete(idle);
      return idle;
    }
    return this.#running.size < this.#size ? this.#newWorker() : undefined;
  }

  #newWorker(): Worker {
    // The process prints the warnings of definitions.
    const options = { stdout: true, stderr: true, resourceLimits: { maxYoungGenerationSizeMb } };
    const worker = new Worker(new URL('test-worker.js', import.meta.url), options);
    let cause: unknown;
    worker.on('message', (answer: JobAnswer) => {
      this.#idle.add(worker);
      this.#settle(worker, () => answer);
    });
    // A thread that fails also exits, a moment later.
    worker.on('error', (error) => (cause = error));
    worker.on('exit', (exitCode) => {
      this.#idle.delete(worker);
      this.#settle(worker, ({ file }) => ({ error: deadThread(file, { exitCode, cause }) }));
    });
    return worker;
  }

  #settle(worker: Worker, answerOf: (job: TestJob) => JobAnswer): void {
    const waiting = this.#running.get(worker);
    this.#running.delete(worker);
    waiting?.done(answerOf(waiting.job));
    this.#next();
  }
}

/** The error of a thread that has died while it ran tests. */
function deadThread(
  file: string,
  { exitCode, cause }: { readonly exitCode: number; readonly cause: unknown },
): UsageError {
  const { reason, hint } = reasonOf(exitCode, cause);
  const message = `The tests of ${file} have stopped: ${reason}.`;
  return new UsageError(message, hint, exitCodes.failure, 'test/thread-ended');
}

function reasonOf(exitCode: number, cause: unknown): { reason: string; hint: string } {
  const hint = `Run them alone, and with --only, to find the test.`;
  if (isOutOfMemory(cause))
    return {
      reason: 'their thread ran out of memory',
      hint: `${hint} If it needs that much, give Node more: NODE_OPTIONS=--max-old-space-size=8192.`,
    };
  if (cause !== undefined)
    return {
      reason: `their thread failed with ${JSON.stringify(cause instanceof Error ? cause.message : cause)}`,
      hint,
    };
  return {
    reason: `their thread ended with the exit code ${exitCode}`,
    hint: 'Something has called process.exit: look at the modules that NODE_OPTIONS loads.',
  };
}

function isOutOfMemory(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
