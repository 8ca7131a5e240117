import { constants } from 'node:os';

const names = ['SIGINT', 'SIGTERM'] as const;

/**
 * Does something that SIGINT and SIGTERM ask to end. A second one, of either kind, ends the process at once, with 128 and the number
 * of the signal as its exit code.
 *
 * @param work gets the signal that aborts, and a function that aborts it without one
 */
export async function interruptible<Value>(
  work: (signal: AbortSignal, interrupt: () => void) => Promise<Value>,
): Promise<Value> {
  const leaving = new AbortController();
  let isAsked = false;
  const onSignal = (name: (typeof names)[number]) => {
    // The process may be the first of a container, which no signal ends by default.
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
