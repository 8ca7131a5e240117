import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '@dramaturg/test-servers';

/** A service in its own process, which can be killed and started again on the same store and port. */
export class ServedProcess {
  readonly url: string;
  readonly #store: string;
  #child: ChildProcess | undefined;
  #asked = Promise.resolve(0);

  private constructor(store: string, port: number) {
    this.#store = store;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async started(store: string): Promise<ServedProcess> {
    const served = new ServedProcess(store, await freePort());
    await served.start();
    return served;
  }

  /** Resolves when the service answers. */
  async start(): Promise<void> {
    const child = fork(
      join(import.meta.dirname, 'service.ts'),
      [this.#store, new URL(this.url).port],
      {
        execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
        stdio: ['ignore', 2, 2, 'ipc'],
      },
    );
    this.#child = child;
    const exited = once(child, 'exit').then(([code]) => {
      throw new Error(`The service has ended with code ${code} before it answered.`);
    });
    await Promise.race([once(child, 'message'), exited]);
    exited.catch(() => {});
  }

  /** Bytes of the process: its resident memory, or the live data on its heap after a collection. */
  memory(what: 'resident' | 'live'): Promise<number> {
    // Answers come in order, but do not name their questions, so only one is asked at a time.
    this.#asked = this.#asked.then(async () => {
      const answered = once(this.#child!, 'message');
      this.#child!.send(what);
      return ((await answered) as [number])[0];
    });
    return this.#asked;
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Lets running turns finish. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
