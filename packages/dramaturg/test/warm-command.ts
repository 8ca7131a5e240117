import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { CommandRequest } from './command-process.ts';

const slowStep = /^dramaturg: keeping the event loop free failed: .*\n/gm;

const endOfOutput = '\u0000end of output\u0000';

/** Processes that have run a command to its end and can run the next one. */
const idle: ChildProcess[] = [];

/** A command in a process that may have run other commands before. */
export class WarmCommand {
  /** The exit code, or null for a process that was killed. */
  readonly exit: Promise<number | null>;
  hasEnded = false;
  stdout = '';
  stderr = '';
  readonly #process: ChildProcess;

  constructor(request: Omit<CommandRequest, 'endOfOutput'>) {
    this.#process = idleProcess() ?? newProcess();
    hold(this.#process, true);
    this.exit = this.#run({ ...request, endOfOutput });
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** Sends a signal to the process, unless the command has ended. */
  kill(signal: NodeJS.Signals): void {
    if (!this.hasEnded) this.#process.kill(signal);
  }

  #run(request: CommandRequest): Promise<number | null> {
    const { stdout, stderr } = this.#process as { stdout: Readable; stderr: Readable };
    return new Promise((resolve) => {
      let code: number | undefined;
      const end = (exitCode: number | null) => {
        this.hasEnded = true;
        this.stdout = this.stdout.replace(endOfOutput, '');
        // What it says of slow steps is about the machine.
        this.stderr = this.stderr.replace(endOfOutput, '').replaceAll(slowStep, '');
        for (const stream of [stdout, stderr]) stream.removeAllListeners('data');
        this.#process.removeAllListeners('message').removeAllListeners('close');
        resolve(exitCode);
      };
      const check = () => {
        const isComplete = [this.stdout, this.stderr].every((text) => text.endsWith(endOfOutput));
        if (code === undefined || !isComplete) return;
        hold(this.#process, false);
        idle.push(this.#process);
        end(code);
      };
      stdout.on('data', (text: string) => {
        this.stdout += text;
        check();
      });
      stderr.on('data', (text: string) => {
        this.stderr += text;
        check();
      });
      this.#process.on('message', (exitCode) => {
        code = exitCode as number;
        check();
      });
      this.#process.on('close', end);
      this.#process.send(request);
    });
  }
}

function idleProcess(): ChildProcess | undefined {
  for (;;) {
    const next = idle.pop();
    if (next === undefined || (next.connected && next.exitCode === null)) return next;
  }
}

function newProcess(): ChildProcess {
  // The commands of several test files run in it, so it does not end with the file that started it, whose mark it would inherit.
  const { DRAMATURG_TEST_FILE: _, ...env } = process.env;
  const child = fork(join(import.meta.dirname, 'command-process.ts'), {
    env,
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout!.setEncoding('utf8');
  child.stderr!.setEncoding('utf8');
  return child;
}

/** Only a command keeps the process of the tests alive. */
function hold(child: ChildProcess, isHeld: boolean): void {
  const call = isHeld ? 'ref' : 'unref';
  child[call]();
  child.channel![call]();
  for (const stream of [child.stdout, child.stderr])
    (stream as unknown as { ref(): void; unref(): void })[call]();
}
