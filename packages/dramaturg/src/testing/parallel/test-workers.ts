import { Worker } from 'node:worker_threads';
import type { PlacedResult } from '../prepared-tests.ts';
import type { JobAnswer, TestJob } from './test-worker.ts';

interface WaitingJob {
  readonly job: TestJob;
  readonly done: (answer: JobAnswer) => void;
}

/** Threads that run tests. Each has one job at a time, and begins when there is one for it. Owns the threads until `close`. */
export class TestWorkers {
  readonly #size: number;
  readonly #waiting: WaitingJob[] = [];
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();

  /** @param size the number of threads at most */
  constructor(size: number) {
    this.#size = size;
  }

  /** Runs a job when a thread is free, in the order of the calls. */
  async run(job: TestJob): Promise<readonly PlacedResult[]> {
    const answer = await new Promise<JobAnswer>((done) => {
      this.#waiting.push({ job, done });
      this.#next();
    });
    if ('error' in answer) throw answer.error;
    return answer.results;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    const worker = this.#idle.pop() ?? this.#newWorker();
    if (!worker) return;
    const { job, done } = this.#waiting.shift()!;
    const settle = (answer: JobAnswer) => {
      worker.off('message', onMessage).off('error', onError);
      done(answer);
      this.#next();
    };
    const onMessage = (answer: JobAnswer) => {
      this.#idle.push(worker);
      settle(answer);
    };
    const onError = (error: unknown) => {
      this.#all.delete(worker);
      settle({ error });
    };
    worker.on('message', onMessage).on('error', onError);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Threads have no origin.
    worker.postMessage(job);
  }

  #newWorker(): Worker | undefined {
    if (this.#all.size >= this.#size) return undefined;
    // The process has printed the warnings of definitions already.
    const options = { stdout: true, stderr: true };
    const worker = new Worker(new URL('test-worker.js', import.meta.url), options);
    this.#all.add(worker);
    return worker;
  }
}
