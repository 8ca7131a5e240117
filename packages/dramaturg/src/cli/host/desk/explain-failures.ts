import type { Output } from '../../output.ts';
import { UsageError } from '../../usage-error.ts';
import { visibleJson } from '../../visible.ts';
import { explainError } from './explain-error.ts';

/**
 * Does the work of a command with a store. A failure of the host or store gets the next thing to do, and with `--json` is
 * also printed as `{ error, code }`, the form that the socket of a host uses.
 */
export async function explainFailures<Result>(
  { folder, output, json }: { folder: string; output: Output; json: boolean },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    const error = explainError(thrown, folder);
    if (json && error instanceof UsageError && error.failureCode !== undefined) {
      const value = { error: error.message, code: error.failureCode };
      output.write(`${visibleJson(JSON.stringify(value, undefined, 2))}\n`);
    }
    throw error;
  }
}
