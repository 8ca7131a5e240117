import { type ChildProcess, spawn, type SpawnOptions, spawnSync } from 'node:child_process';
import type { Socket } from 'node:net';
import { DramaturgError } from '@dramaturg/compiler';

const outputMax = 20_000;

/** How long a server may take to become ready, in milliseconds. Installing and testing machines are slow. */
const readyWithinMs = 90_000;

/** The running servers. They end with this process. */
const running = new Set<ServerProcess>();
const endAll = () => {
  const ending = [...running];
  // First all servers: the test runner gives its workers half a second, and removing one folder may take longer.
  for (const each of ending) each.endWithThisProcess();
  for (const each of ending) each.removeData();
};
process.once('exit', endAll);
// A test runner ends its workers with a signal, without an `exit` event.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.once(signal, () => {
    endAll();
    process.kill(process.pid, signal);
  });

export interface ServerCommand {
  /** The name in messages: "Postgres". */
  readonly name: string;
  readonly program: string;
  readonly arguments: readonly string[];
  readonly options?: SpawnOptions;
  /** Whether the server answers. Called until it does. */
  readonly isReady: () => Promise<boolean>;
  /** Called after the server was killed because this process ends. */
  readonly onExit: () => void;
}

/** A server in its own process, with its children. */
export class ServerProcess {
  readonly #command: ServerCommand;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #output = '';

  private constructor(command: ServerCommand) {
    this.#command = command;
    // Without the mark of the test file, because test files share servers: a server does not end with the file that started it.
    const { DRAMATURG_TEST_FILE: _, ...env } = command.options?.env ?? process.env;
    this.#child = spawn(command.program, command.arguments, {
      ...command.options,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (text: Buffer) => {
      this.#output = (this.#output + text.toString()).slice(-outputMax);
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
    running.add(this);
    this.#ended = new Promise((resolve) => {
      const end = () => {
        running.delete(this);
        resolve();
      };
      this.#child.once('exit', end);
      this.#child.once('error', (error) => {
        this.#output += String(error);
        end();
      });
    });
  }

  /**
   * Starts a server. Fulfils when it is ready.
   *
   * @throws ServerError `server/failed` with the end of its output
   */
  static async start(command: ServerCommand): Promise<ServerProcess> {
    const server = new ServerProcess(command);
    const giveUpAt = Date.now() + readyWithinMs;
    while (!(await command.isReady())) {
      if (!server.isRunning || Date.now() > giveUpAt) {
        server.signal('SIGKILL');
        throw new ServerError(
          'server/failed',
          `${command.name} did not start. The end of its output:\n${server.output}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    server.#keepsAlive(false);
    return server;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get isRunning(): boolean {
    return running.has(this);
  }

  /** The end of the server's output. */
  get output(): string {
    return this.#output;
  }

  /** Sends a signal to the server and to all its children: SIGKILL, SIGSTOP, SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (!this.isRunning || pid === undefined) return;
    // The processes of Postgres leave the group of their parent.
    for (const each of [-pid, ...childrenOf(pid)]) this.#kill(each, signal);
  }

  #kill(pid: number, signal: NodeJS.Signals): void {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** Ends the server with a signal. Fulfils when it has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#keepsAlive(true);
    this.signal(signal);
    await this.#ended;
  }

  /** Kills the server while this process exits, when nothing can be awaited. Its children end when they notice. */
  endWithThisProcess(): void {
    this.#kill(-this.pid, 'SIGKILL');
  }

  /** Removes the data after `endWithThisProcess`. Remaining data is removed when another server starts. */
  removeData(): void {
    try {
      this.#command.onExit();
    } catch (error) {
      process.stderr.write(`${String(error)}\n`);
    }
  }

  /** Sets whether the server keeps this process alive: only while this process waits for it. */
  #keepsAlive(isWaiting: boolean): void {
    const method = isWaiting ? 'ref' : 'unref';
    this.#child[method]();
    for (const pipe of [this.#child.stdout, this.#child.stderr])
      (pipe as Socket | null)?.[method]();
  }

  toString(): string {
    return `${this.#command.name} (process ${this.pid})`;
  }
}

function childrenOf(pid: number): number[] {
  const { stdout, error } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  if (error)
    throw new ServerError('server/failed', 'The program "ps" is needed.', { cause: error });
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child!);
}

/** A server is not installed, or did not start. */
export class ServerError extends DramaturgError<'server/missing' | 'server/failed'> {
  override readonly name = 'ServerError';
}
