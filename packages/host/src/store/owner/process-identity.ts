import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Identifies a process. Its number alone is not enough: numbers are reused, and repeat on other machines, after a
 * restart and in containers. The optional fields make it unique where the system provides them.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** The start of the machine and the namespace of process numbers. */
  readonly space?: string;
  /** When the process started, in a unit of the system. */
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

/** Whether a process is alive; undefined when that cannot be checked from here. */
export function isAlive(other: ProcessIdentity): boolean | undefined {
  const self = thisProcess();
  if (self.space !== undefined && self.space === other.space) {
    const began = startTimeOf(other.pid);
    return began !== undefined && began !== 'ended' && began === other.began;
  }
  // A number in use may belong to another process by now. A number not in use proves that the process is dead.
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

/** Linux only. Undefined when there is no such process, `ended` when it is a zombie. */
function startTimeOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in parentheses, may contain spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}
