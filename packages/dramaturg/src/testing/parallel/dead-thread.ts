import { exitCodes, UsageError } from '../../cli/usage-error.ts';

/** The error of a thread that has died while it ran tests. */
export function deadThread(
  file: string,
  { exitCode, cause }: { readonly exitCode: number; readonly cause: unknown },
): UsageError {
  const { reason, hint } = reasonOf(exitCode, cause);
  const message = `The tests of ${file} have stopped: ${reason}.`;
  return new UsageError(message, hint, exitCodes.failure, 'test/thread-ended');
}

function reasonOf(exitCode: number, cause: unknown): { reason: string; hint: string } {
  const hint = `Run them alone, and with --only, to find the test.`;
  if (isOutOfMemory(cause))
    return {
      reason: 'their thread ran out of memory',
      hint: `${hint} If it needs that much, give Node more: NODE_OPTIONS=--max-old-space-size=8192.`,
    };
  if (cause !== undefined)
    return {
      reason: `their thread failed with ${JSON.stringify(cause instanceof Error ? cause.message : cause)}`,
      hint,
    };
  return {
    reason: `their thread ended with the exit code ${exitCode}`,
    hint: 'Something has called process.exit: look at the modules that NODE_OPTIONS loads.',
  };
}

function isOutOfMemory(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
