import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCodeOf } from '../errors.ts';

/**
 * Identifies a process. Its number alone is not enough: numbers are reused, and repeat on other machines, after a
 * restart and in containers. The optional fields make it unique where the system provides them.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** The start of the machine and the namespaces of process numbers and of time. */
  readonly space?: string;
  /** When the process started, in a unit of the system. */
  readonly began?: string;
}

/** The processes of a machine, as an owner lock sees them. */
export interface Processes {
  /** Identifies this process. */
  self(): ProcessIdentity;
  /** Whether a process is alive; undefined when this process cannot check that. */
  isAlive(other: ProcessIdentity): boolean | undefined;
}

/** The system's information about its processes. */
export interface ProcessTable {
  /** Names the start of the machine and the namespaces of this process; undefined where there are none. */
  readonly space: string | undefined;
  /** Whether one machine has several ranges of process numbers (containers). */
  readonly hasNamespaces: boolean;
  /** The content of `/proc/<pid>/stat`; undefined when it cannot be read, which does not prove that the process is dead. */
  stat(pid: number): string | undefined;
  /** Whether a process has this number, by signal 0. */
  isInUse(pid: number): boolean;
}

/**
 * The processes of this machine. A process counts as alive or dead only when that is certain:
 *
 * - With `hidepid` the entries of other users are missing from `/proc`. Then a number in use can belong to the process or to a
 *   later one, and the answer is undefined.
 * - A process in another container or on another machine cannot be seen.
 */
export function machineProcesses(table: ProcessTable = machineTable()): Processes {
  const self = (): ProcessIdentity => {
    const began = startTimeIn(table.stat(process.pid));
    return {
      pid: process.pid,
      host: hostname(),
      ...(table.space === undefined ? {} : { space: table.space }),
      ...(began === undefined || began === 'ended' ? {} : { began }),
    };
  };
  const isAlive = (other: ProcessIdentity): boolean | undefined => {
    const sharesNumbers =
      table.space === undefined && other.space === undefined
        ? !table.hasNamespaces && other.host === hostname()
        : table.space === other.space;
    if (!sharesNumbers) return undefined;
    const began = startTimeIn(table.stat(other.pid));
    if (began === undefined || other.began === undefined) {
      return table.isInUse(other.pid) ? undefined : false;
    }
    return began === other.began;
  };
  return { self, isAlive };
}

function machineTable(): ProcessTable {
  return {
    space: namespaces(),
    hasNamespaces: process.platform === 'linux',
    stat: (pid) => readSystemText(() => readFileSync(`/proc/${pid}/stat`, 'latin1')),
    isInUse: (pid) => {
      try {
        process.kill(pid, 0);
        return true;
      } catch (error) {
        // EPERM: the process belongs to another user.
        return systemCodeOf(error) !== 'ESRCH';
      }
    },
  };
}

/** The start of the machine and the namespaces, on Linux only. In a container with its own time, start times of processes differ. */
function namespaces(): string | undefined {
  const boot = readSystemText(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const numbers = readSystemText(() => readlinkSync('/proc/self/ns/pid'));
  const time = readSystemText(() => readlinkSync('/proc/self/ns/time'));
  return boot && numbers && [boot, numbers, time ?? ''].join(' ').trimEnd();
}

/** The start time in the content of `/proc/<pid>/stat`; `ended` for a zombie. */
function startTimeIn(stat: string | undefined): string | undefined {
  if (stat === undefined) return undefined;
  // The name of the program, in parentheses, may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
}

function readSystemText(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
