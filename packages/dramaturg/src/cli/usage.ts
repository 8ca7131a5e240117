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
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
