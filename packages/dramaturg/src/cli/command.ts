import {
  type AddHelpTextContext,
  type AddHelpTextPosition,
  Command,
  type CommanderError,
} from 'commander';
import { UsageError } from './usage-error.ts';
import { wrapParagraphs } from './wrap-paragraphs.ts';

const helpWidth = Math.min(process.stdout.columns ?? 80, 100);

/** A command whose paragraphs of help fit the terminal. */
class WrappingCommand extends Command {
  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string),
  ): this {
    const shown = typeof text === 'string' ? wrapParagraphs(text, helpWidth) : text;
    return super.addHelpText(position, shown as string);
  }
}

/** Creates a command that throws a `UsageError` for wrong arguments, so that they are printed like all other errors. */
export function command(name: string, path: string = `dramaturg ${name}`): Command {
  return new WrappingCommand(name)
    .configureOutput({ outputError: () => {} })
    .helpOption('-h, --help', 'explain the command')
    .configureHelp({ helpWidth })
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
