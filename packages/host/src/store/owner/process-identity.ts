import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Which process it is. A number alone does not say so: numbers are used again, and mean something else on another
 * machine, after a restart of this one, and in a container. Where the system tells, the rest says which one it was.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** The run of the machine since it was started, and the space in which process numbers are unique. */
  readonly space?: string;
  /** When the process began, in the system's own unit. */
  readonly began?: string;
}

export function thisProcess(): ProcessIdentity {
  const space = pidNamespace();
  const began = startTimeOf(process.pid);
  return {
    pid: process.pid,
    host: hostname(),
    ...(space === undefined ? {} : { space }),
    ...(began === undefined || began === 'ended' ? {} : { began }),
  };
}

/** Whether a process lives; undefined when that cannot be told from here. */
export function isAlive(other: ProcessIdentity): boolean | undefined {
  const self = thisProcess();
  if (self.space !== undefined && self.space === other.space) {
    const began = startTimeOf(other.pid);
    return began !== undefined && began !== 'ended' && began === other.began;
  }
  // A number in use may be another process by now; one that is not in use says that the process is gone.
  const sameNumbers = self.space === undefined && other.space === undefined;
  return sameNumbers && self.host === other.host && !isInUse(other.pid) ? false : undefined;
}

function isInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Linux only. */
function pidNamespace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** Linux only: undefined when there is no such process, `ended` when it is dead and only waits to be counted. */
function startTimeOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in brackets, may have spaces and brackets of its own.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}
