import { readFileSync } from 'node:fs';

export interface ProcessorTime {
  readonly userMs: number;
  readonly systemMs: number;
}

/** Length of a tick in `/proc`, the same on every processor that Node supports. */
const tickMs = 10;

/** Returns the processor time of all ended children of this process, with their own children. Undefined outside of Linux. */
export function childrenTime(): ProcessorTime | undefined {
  if (process.platform !== 'linux') return undefined;
  // The name of the program comes first in brackets, and may contain blanks and brackets.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  return { userMs: Number(fields[13]) * tickMs, systemMs: Number(fields[14]) * tickMs };
}

/** `8 min 5 s` */
export function inMinutes(durationMs: number): string {
  const seconds = Math.round(durationMs / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
