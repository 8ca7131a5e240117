import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { nextTurn } from '@dramaturg/compiler/machine';
import { machineProcesses, type Processes } from '../owner/processes.ts';
import type { FileSystem } from './file-system.ts';
import { nodeFileSystem } from './node-file-system.ts';

/**
 * The surroundings of a store on a device: files, time, processes and random ids. A simulation replaces all of them, so that a
 * run depends only on its seed.
 */
export interface System {
  readonly files: FileSystem;
  readonly scheduler: Scheduler;
  readonly processes: Processes;
  /** Creates a globally unique string: a UUID. */
  randomId(): string;
}

/** The time of a store, and its timers. */
export interface Scheduler {
  /** The time of day in milliseconds since 1970 UTC. It may jump. */
  now(): number;
  /**
   * Calls a function once, after at least this many milliseconds, unless the process ends before.
   *
   * @returns a function that cancels the call
   */
  after(milliseconds: number, run: () => void): () => void;
  /** Waits at least this many milliseconds, and keeps the process alive. */
  pause(milliseconds: number): Promise<void>;
  /** Waits until other work that is ready has run. */
  yield(): Promise<void>;
}

/** This machine. */
export function nodeSystem(): System {
  return {
    files: nodeFileSystem(),
    scheduler: nodeScheduler,
    processes: machineProcesses(),
    randomId: randomUUID,
  };
}

const nodeScheduler: Scheduler = {
  now: () => Date.now(),
  after: (milliseconds, run) => {
    const timeout = setTimeout(run, milliseconds).unref();
    return () => clearTimeout(timeout);
  },
  pause: (milliseconds) => pause(milliseconds),
  yield: nextTurn,
};
