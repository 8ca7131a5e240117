import { visible } from '@dramaturg/compiler/text';
import { HostError } from '@dramaturg/host';

/** Prints an error of background work to standard error. */
export function printHostError(error: unknown, doing: string, count: number): void {
  const reason = error instanceof Error ? error.message : String(error);
  const times = count === 1 ? '' : ` (${count} times)`;
  process.stderr.write(`dramaturg: ${visible(`${doing} failed: ${reason}${times}`)}\n`);
}

/**
 * Prints the errors that matter to a command that does one thing and ends: nothing else waits for its event loop, and code
 * that runs for the first time is slow.
 */
export function printErrorOfCommand(error: unknown, doing: string, count: number): void {
  if (error instanceof HostError && error.code === 'host/slow-step') return;
  printHostError(error, doing, count);
}
