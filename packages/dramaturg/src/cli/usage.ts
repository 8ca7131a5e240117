/** A mistake in how the command was called: told in one sentence, with the next thing to do, and exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

export const exitCodes = {
  fine: 0,
  /** The definition has errors. */
  errorsFound: 1,
  /** The command was called in a wrong way. */
  usage: 2,
  /** Dramaturg itself has failed. */
  failure: 3,
  /** The workflow has failed, or took too long. */
  runFailed: 4,
  /** The workflow waits for somebody who is not here. */
  unfinished: 5,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
