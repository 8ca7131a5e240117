import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second. */
const tickMs = 10;

/** The processor time of a process and of its children, in milliseconds. Linux only. */
export function processTimeOf(parent: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, pid) => {
      const fields = fieldsOf(pid);
      if (Number(pid) !== parent && Number(fields[1]) !== parent) return sum;
      return sum + (Number(fields[11]) + Number(fields[12])) * tickMs;
    }, 0);
}

/** The fields of the status of a process after its name. None when it has ended. */
function fieldsOf(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program can have spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** The bytes that a process has given to its disks. Linux only. */
export function bytesWrittenBy(pid: number): number {
  const [, bytes] = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))!;
  return Number(bytes);
}
