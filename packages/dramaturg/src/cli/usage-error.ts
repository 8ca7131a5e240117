export const exitCodes = {
  fine: 0,
  /** The definition has errors. */
  errorsFound: 1,
  /** The command was called in a wrong way. */
  usage: 2,
  /** Dramaturg itself has failed. */
  failure: 3,
  /** The workflow has failed, or took too long; or a replay differs from its recording. */
  runFailed: 4,
  /** The workflow waits for somebody who is not here. */
  unfinished: 5,
  /** The instance does not accept the event in its present state. */
  refused: 6,
  /** The store is in use, or cannot be read or written. */
  storeUnusable: 7,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * What a person has to see to: told in one sentence, with the next thing to do. Most often it is a mistake in how the
 * command was called, with exit code 2.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;
  /** The code of the host or the store, where one of them refuses. */
  readonly code: string | undefined;

  constructor(message: string, hint?: string, exitCode: ExitCode = exitCodes.usage, code?: string) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
    this.code = code;
  }
}
