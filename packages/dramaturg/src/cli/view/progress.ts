import { outputTo } from '../output.ts';

/** Milliseconds between two changes of the line. */
const intervalMs = 200;

/**
 * Runs long work with a line on standard error that says how far it is. The line appears only on a terminal, and is removed at
 * the end.
 */
export async function withProgress<Result>(
  work: (show: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  const { isTerminal, write, paint } = outputTo(process.stderr);
  let shownAt = Date.now();
  let isShown = false;
  const show = (text: string) => {
    const now = Date.now();
    if (!isTerminal || now - shownAt < intervalMs) return;
    shownAt = now;
    isShown = true;
    write(`\r\u001B[K${paint('dim', `${text} ...`)}`);
  };
  try {
    return await work(show);
  } finally {
    if (isShown) write('\r\u001B[K');
  }
}

/** `Verifying 12 of 3,000 records` */
export function recordsText(step: string, done: number, all: number): string {
  return `${step} ${done.toLocaleString('en')} of ${all.toLocaleString('en')} records`;
}
