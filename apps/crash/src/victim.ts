import { type ChildProcess, fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DramaturgError } from '@dramaturg/compiler';
import type { Command, CommandBody, FromChild, Mission, StoreKind } from './protocol.ts';

/** The process ended before it answered a command. It is unknown whether the change was stored. */
export class ProcessGoneError extends DramaturgError {
  override readonly name = 'ProcessGoneError';

  constructor() {
    super('crash/process-gone', 'The process has ended.');
  }
}

/** Compiled code, which halves the start of a process. */
const codeCache = join(tmpdir(), 'dramaturg-crash-code');

/** Starts a process that loads its modules, and then waits for a mission. */
export function prepareVictim(store: StoreKind, environment: NodeJS.ProcessEnv = {}): ChildProcess {
  return fork(new URL('child.ts', import.meta.url), [store], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, NODE_COMPILE_CACHE: codeCache, ...environment },
  });
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One run of the process that is killed. Owns the child process and the unanswered commands. States: starting, ready,
 * ended. When the process ends, all unanswered commands are rejected.
 */
export class Victim {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #commands = 0;
  /** Resolves when the host runs, or when the process ends before that. */
  readonly ready: Promise<void>;
  /** Resolves when the host waits for the store or runs, or when the process ends before that. */
  readonly waits: Promise<void>;
  /** Resolves when the process ends, with its exit code or signal. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  #hasEnded = false;
  readonly hostErrors: string[] = [];
  /** The named points that the process has reached, with a lower bound for the number of visits. */
  readonly points = new Map<string, number>();
  #errors = '';

  constructor(prepared: ChildProcess, mission: Mission, onReceipt: (id: string) => void) {
    this.#process = prepared;
    this.#process.send(mission);
    this.#process.stderr!.on('data', (part: Buffer) => (this.#errors += part.toString()));
    this.ended = new Promise((resolve) => {
      this.#process.on('exit', (code, signal) => {
        this.#hasEnded = true;
        for (const { reject } of this.#waiting.values()) reject(new ProcessGoneError());
        this.#waiting.clear();
        resolve({ code, signal });
      });
    });
    this.waits = new Promise((resolve) => {
      this.#process.on('message', ({ type }: FromChild) => {
        if (type === 'waiting' || type === 'ready') resolve();
      });
      void this.ended.then(() => resolve());
    });
    this.ready = new Promise((resolve) => {
      this.#process.on('message', (message: FromChild) => {
        if (message.type === 'ready') resolve();
        if (message.type === 'receipt') onReceipt(message.id);
        this.#hear(message);
      });
      void this.ended.then(() => resolve());
    });
  }

  /** The error output of the process. */
  get errors(): string {
    return this.#errors;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** @throws ProcessGoneError */
  async ask<Value>(command: CommandBody): Promise<Value> {
    if (this.#hasEnded) throw new ProcessGoneError();
    this.#commands += 1;
    const number = this.#commands;
    return new Promise<Value>((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#process.send({ ...command, number } satisfies Command, (error) => {
        if (error) reject(new ProcessGoneError());
      });
    });
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /** Stops the host without a grace period, and then the process. */
  stop(): void {
    this.ask({ do: 'stop', within: 0 }).catch(() => {});
  }

  /** Stops the process for a while: `SIGSTOP` and `SIGCONT`. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.kill(signal);
  }

  #hear(message: FromChild): void {
    if (message.type === 'trouble') this.hostErrors.push(message.message);
    if (message.type === 'point') this.points.set(message.point, message.times);
    if (message.type !== 'reply') return;
    const waiting = this.#waiting.get(message.number);
    this.#waiting.delete(message.number);
    if ('value' in message.reply) waiting?.resolve(message.reply.value as never);
    else waiting?.reject(new Error(message.reply.error));
  }
}
