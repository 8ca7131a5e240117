import { DramaturgError } from '@dramaturg/compiler';

/** The arguments of an app's command are wrong. */
export class UsageError extends DramaturgError<'app/wrong-call'> {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super('app/wrong-call', message);
  }
}

/**
 * Runs the command of an app, and sets the exit code that it returns. Wrong arguments end it with 2.
 *
 * @param help printed below the message about wrong arguments
 */
export async function runCommand(run: () => Promise<number>, help: string): Promise<void> {
  try {
    process.exitCode = await run();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!(error instanceof UsageError) && !code?.startsWith('ERR_PARSE_ARGS')) throw error;
    process.stderr.write(`${message}\n${help}\n`);
    process.exitCode = 2;
  }
}

/** Reads the value of an option: a whole number from 1. */
export function wholeNumber(text: string, option: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new UsageError(`--${option} must be a whole number from 1, not "${text}".`);
}
