import { explainError } from './explain-error.ts';

/** Does the work of a command with a store. A failure of the host or store gets the next thing to do. */
export async function explainFailures<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw explainError(error, folder);
  }
}
