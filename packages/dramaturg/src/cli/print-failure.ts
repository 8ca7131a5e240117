import { InputError } from '@dramaturg/compiler';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { visible } from '@dramaturg/compiler/text';
import { RecordingError } from '@dramaturg/host';
import { DefinitionError } from './definition-file.ts';
import { outputTo, visibleJson, visibleText } from './output.ts';
import { type ExitCode, exitCodes, UsageError } from './usage-error.ts';

/**
 * Prints on standard error why the command has failed, and returns the exit code. The stack is for maintainers only.
 *
 * @param isJson whether to print the failure on standard output too, as one line of JSON
 */
export function printFailure(error: unknown, isJson: boolean): ExitCode {
  const mistake = mistakeIn(error);
  const failure = mistake ?? ownFailure(error);
  printText(failure);
  if (!mistake && process.env['DRAMATURG_DEBUG'] === '1')
    process.stderr.write(`\n${visibleText(withoutSecrets(stackOf(error)))}\n`);
  if (isJson)
    outputTo(process.stdout).write(
      `${visibleJson(JSON.stringify(failureJson(failure), withoutSecretText))}\n`,
    );
  return mistake?.exitCode ?? exitCodes.failure;
}

/** A replacer of `JSON.stringify`. */
function withoutSecretText(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? withoutSecrets(value) : value;
}

interface CommandFailure {
  readonly message: string;
  readonly code: string;
  readonly hint: string | undefined;
}

function printText(failure: CommandFailure): void {
  // The findings have been printed, each with its line of the definition.
  if (failure instanceof DefinitionError) return;
  const { write, paint } = outputTo(process.stderr);
  const { message, hint } = failure;
  write(`${paint('red', 'error:')} ${visible(withoutSecrets(message))}\n`);
  if (hint !== undefined) write(`${paint('cyan', 'hint:')} ${visible(withoutSecrets(hint))}\n`);
}

/** The form of all failures with `--json`. The place is that of the first error. Spec: docs/cli.md */
function failureJson(failure: CommandFailure): object {
  const { message, code, hint } = failure;
  const found = { error: message, code, ...(hint === undefined ? {} : { hint }) };
  if (!(failure instanceof DefinitionError)) return found;
  const { file, path, start, end } = failure.first;
  return { ...found, file, path, start, end, diagnostics: failure.findings };
}

/** The problem that the caller can solve: a wrong call, a replay that differs, or a file that cannot be read or written. */
function mistakeIn(error: unknown): UsageError | undefined {
  if (error instanceof UsageError) return error;
  if (error instanceof InputError)
    return new UsageError(error.message, 'Correct the input: --input, or the file that has it.');
  if (error instanceof RecordingError) {
    const { code, message, hint } = error;
    const exitCode = code === 'recording/differs' ? exitCodes.runFailed : exitCodes.usage;
    return new UsageError(message, hint, exitCode, code);
  }
  const isOfTheSystem = error instanceof Error && 'syscall' in error && 'code' in error;
  return isOfTheSystem
    ? new UsageError(
        `The operating system refuses: ${error.message}.`,
        'Check the file and its permissions.',
        exitCodes.usage,
        'command/system-refuses',
      )
    : undefined;
}

function ownFailure(error: unknown): CommandFailure {
  const what = error instanceof Error ? error.message : String(error);
  const code = (error as { code?: unknown } | undefined)?.code;
  return {
    message: `Dramaturg has failed${typeof code === 'string' ? ` (${code})` : ''}: ${what}`,
    code: 'command/failed',
    hint: 'This is a bug. Please report it with the definition and the output of DRAMATURG_DEBUG=1.',
  };
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
