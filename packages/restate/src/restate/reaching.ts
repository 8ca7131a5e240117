import { DramaturgError } from '@dramaturg/compiler';

/** The pause between two attempts, in milliseconds. */
const retryMs = 200;

/** Other writes of the same record, of a process that Restate does not reach any more; and trouble inside Restate. */
const passing: readonly string[] = ['store/conflict', 'store/exists', 'restate/failed'];

/**
 * Repeats work of the host itself that Restate could not be reached for, or that another process did at the same time. Neither
 * is a failure of the workflow that the work is for.
 *
 * @throws DramaturgError that the same work would throw again; any error once the signal is aborted
 */
export async function untilReached<Value>(
  work: () => Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isLasting = error instanceof DramaturgError && !passing.includes(error.code);
      if (isLasting || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
