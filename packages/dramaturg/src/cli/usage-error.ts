import { RequestError } from '@dramaturg/service/client';

export const exitCodes = {
  fine: 0,
  /** The definition has errors. */
  errorsFound: 1,
  /** The command was called in a wrong way. */
  usage: 2,
  /** Dramaturg itself has failed. */
  failure: 3,
  /** The workflow has failed or timed out, a limit was reached, or a replay differs from its recording. */
  runFailed: 4,
  /** The workflow waits for a person or a token that this run does not have. */
  unfinished: 5,
  /** The instance does not accept the event in its present state. */
  refused: 6,
  /** The store is in use, or cannot be read or written. */
  storeUnusable: 7,
  /** Another host has taken the store of a running host. */
  storeLost: 8,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * A problem that the caller can solve, most often a mistake in how the command was called: a sentence, a hint, and a code
 * for programs. Where the host or the store has refused, the code is theirs.
 */
export class UsageError extends RequestError {
  override readonly name = 'UsageError';
  readonly exitCode: ExitCode;

  constructor(
    message: string,
    hint?: string,
    exitCode: ExitCode = exitCodes.usage,
    code = 'command/wrong-call',
  ) {
    super(code, message, { hint });
    this.exitCode = exitCode;
  }
}
