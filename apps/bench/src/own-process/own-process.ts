import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Json } from '@dramaturg/compiler';
import { type Answer, PeerError, type Question, type Readings, showProgress } from '../measure.ts';

const running = new Set<OwnProcess>();

/** Node options for a busy service (docs/deploy.md). Compared peers also get them. */
export const deployedOptions: readonly string[] = ['--max-semi-space-size=64'];

/** A remark about measurements with `deployedOptions`. */
export const deployedNote = `Hosts of many turns, and what they are compared with, run with ${deployedOptions.join(' ')}, as docs/deploy.md recommends.`;

/**
 * A measurement in a separate process. Other measurements do not affect its heap or its JIT state.
 */
export class OwnProcess {
  readonly #child: ChildProcess;
  #pending: { resolve: (readings: Readings) => void; reject: (error: Error) => void } | undefined;

  private constructor(options: readonly string[]) {
    this.#child = fork(join(import.meta.dirname, 'child.ts'), {
      execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning', ...options],
      // The output of the process does not belong to the results.
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    this.#child.on('message', (answer: Answer) => this.#onAnswer(answer));
    running.add(this);
    this.#child.on('exit', (code, signal) => {
      running.delete(this);
      this.#pending?.reject(
        new Error(`The process of a measurement ended unexpectedly: ${signal ?? code}.`),
      );
    });
  }

  /**
   * @param module the path of a module that exports `prepare`
   * @param options of Node
   */
  static async prepared(
    module: string,
    settings: Json,
    options: readonly string[] = [],
  ): Promise<OwnProcess> {
    const measurement = new OwnProcess(options);
    await measurement.#ask({ type: 'prepare', module, settings });
    return measurement;
  }

  sample(what?: Json): Promise<Readings> {
    return this.#ask({ type: 'sample', ...(what === undefined ? {} : { what }) });
  }

  /** Makes the process release its resources and end. */
  async close(): Promise<void> {
    await this.#ask({ type: 'close' });
    await this.#end();
  }

  /** Kills the processes that still run. */
  static async endAll(): Promise<void> {
    await Promise.all([...running].map((each) => each.#end()));
  }

  async #end(): Promise<void> {
    this.#keepAlive(true);
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  #ask(question: Question): Promise<Readings> {
    return new Promise<Readings>((resolve, reject) => {
      this.#pending = { resolve, reject };
      this.#keepAlive(true);
      this.#child.send(question);
    }).finally(() => this.#keepAlive(false));
  }

  #onAnswer(answer: Answer): void {
    if (answer.type === 'progress') return showProgress(answer.step);
    if (answer.type === 'done') return this.#pending?.resolve(answer.readings ?? {});
    const { name, message } = answer;
    this.#pending?.reject(name === 'PeerError' ? new PeerError(message) : new Error(message));
  }

  /** Keeps the parent process alive only while it waits for an answer. */
  #keepAlive(isWaiting: boolean): void {
    const method = isWaiting ? 'ref' : 'unref';
    this.#child[method]();
    this.#child.channel?.[method]();
  }
}

/** Takes one sample in a fresh process. */
export async function sampleOnce(
  module: string,
  settings: Json,
  options: readonly string[] = [],
): Promise<Readings> {
  const fresh = await OwnProcess.prepared(module, settings, options);
  const readings = await fresh.sample();
  await fresh.close();
  return readings;
}
