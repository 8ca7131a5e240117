import { Command, type CommanderError } from 'commander';
import { UsageError } from './usage-error.ts';

/** Creates a command that throws a `UsageError` for wrong arguments, so that they are printed like all other errors. */
export function command(name: string, path: string = `dramaturg ${name}`): Command {
  return new Command(name)
    .configureOutput({ outputError: () => {} })
    .helpOption('-h, --help', 'explain the command')
    .configureHelp({ helpWidth: Math.min(process.stdout.columns ?? 80, 100) })
    .exitOverride((error) => {
      throw error.code.startsWith('commander.help') || error.exitCode === 0
        ? error
        : usageErrorOf(error, path);
    });
}

/** Commander writes `error: ...` and, on a second line, `(Did you mean check?)`. */
function usageErrorOf({ message }: CommanderError, path: string): UsageError {
  const [complaint = '', suggestion = ''] = message.replace(/^error: /, '').split('\n');
  const sentence = `${complaint.charAt(0).toUpperCase()}${complaint.slice(1)}`.replace(/\.?$/, '.');
  const meant = /^\(Did you mean (?:one of )?(.+)\?\)$/.exec(suggestion)?.[1];
  return new UsageError(sentence, meant ? `Did you mean ${meant}?` : helpHint(path));
}

function helpHint(path: string): string {
  return `Run "${path} --help" to see the arguments and options.`;
}

/** The examples at the end of a command's help. */
export function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}
