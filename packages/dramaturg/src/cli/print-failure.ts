import { withoutSecrets, visible } from '@dramaturg/compiler';
import { RecordingError } from '@dramaturg/host';
import { outputTo } from './output.ts';
import { type ExitCode, exitCodes, UsageError } from './usage-error.ts';
import { visibleText } from './visible.ts';

/** Prints on standard error why the command has failed, and returns the exit code. The stack is for maintainers only. */
export function printFailure(error: unknown): ExitCode {
  const { write, paint } = outputTo(process.stderr);
  const mistake = mistakeIn(error);
  const { message, hint } = mistake ?? ownFailure(error);
  write(`${paint('red', 'error:')} ${visible(withoutSecrets(message))}\n`);
  if (hint !== undefined) write(`${paint('cyan', 'hint:')} ${visible(withoutSecrets(hint))}\n`);
  if (!mistake && process.env['DRAMATURG_DEBUG'] === '1')
    write(`\n${visibleText(withoutSecrets(stackOf(error)))}\n`);
  return mistake?.exitCode ?? exitCodes.failure;
}

/** The problem that the caller can solve: a wrong call, a replay that differs, or a file that cannot be read or written. */
function mistakeIn(error: unknown): UsageError | undefined {
  if (error instanceof UsageError) return error;
  if (error instanceof RecordingError) {
    const { code, message, hint } = error;
    const exitCode = code === 'recording/differs' ? exitCodes.runFailed : exitCodes.usage;
    return new UsageError(message, hint, exitCode);
  }
  const isOfTheSystem = error instanceof Error && 'syscall' in error && 'code' in error;
  return isOfTheSystem
    ? new UsageError(
        `The operating system refuses: ${error.message}.`,
        'Check the file and its permissions.',
      )
    : undefined;
}

function ownFailure(error: unknown): { message: string; hint: string } {
  const what = error instanceof Error ? error.message : String(error);
  const code = (error as { code?: unknown } | undefined)?.code;
  return {
    message: `Dramaturg has failed${typeof code === 'string' ? ` (${code})` : ''}: ${what}`,
    hint: 'This is a bug. Please report it with the definition and the output of DRAMATURG_DEBUG=1.',
  };
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
