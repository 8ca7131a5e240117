import { constants } from 'node:os';

const names = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs work that SIGINT and SIGTERM abort. A second signal, of either kind, ends the process immediately, with 128 and the number
 * of the signal as its exit code.
 *
 * @param work receives the signal, and a function that aborts it
 */
export async function interruptible<Value>(
  work: (signal: AbortSignal, interrupt: () => void) => Promise<Value>,
): Promise<Value> {
  const leaving = new AbortController();
  let isAsked = false;
  const onSignal = (name: (typeof names)[number]) => {
    // The process may be the first of a container, which a signal does not end by default.
    if (isAsked) process.exit(128 + constants.signals[name]);
    isAsked = true;
    leaving.abort();
  };
  for (const name of names) process.on(name, onSignal);
  try {
    return await work(leaving.signal, () => leaving.abort());
  } finally {
    for (const name of names) process.off(name, onSignal);
  }
}
