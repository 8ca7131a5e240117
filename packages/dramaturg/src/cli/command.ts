import {
  type AddHelpTextContext,
  type AddHelpTextPosition,
  type CommanderError,
  Command as PlainCommand,
} from 'commander';
import { type ExitCode, exitCodes, UsageError } from './usage-error.ts';

const helpWidth = Math.min(process.stdout.columns ?? 80, 100);

/** Describes <store>, for the help of every command that takes it. */
export const storeArgument =
  'the store: a folder, the file of a sqlite store, or an address postgres://user@host/database?schema=name';

/** A command whose paragraphs of help fit the terminal. */
export class Command extends PlainCommand {
  /** The exit code of the action that has run. */
  exitCode: ExitCode = exitCodes.fine;

  /** @param run receives the arguments, then the options, and returns the exit code if it is not 0 */
  override action(run: (...given: never[]) => Promise<ExitCode | void> | ExitCode | void): this {
    return super.action(async (...given) => {
      this.exitCode = (await run(...(given as never[]))) ?? exitCodes.fine;
    });
  }

  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string),
  ): this {
    const shown = typeof text === 'string' ? wrapParagraphs(text, helpWidth) : text;
    return super.addHelpText(position, shown as string);
  }

  json(what = 'print one JSON value'): this {
    return this.option('--json', what);
  }

  store(): this {
    return this.argument('<store>', storeArgument);
  }

  instance(): this {
    return this.argument('<id>', 'the instance: its id, or the first characters of it');
  }

  /** Ends its help with examples. */
  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', examples(lines));
  }
}

/** Creates a command that throws a `UsageError` for wrong arguments, so that they are printed like all other errors. */
export function command(name: string, path: string = `dramaturg ${name}`): Command {
  return new Command(name)
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

/**
 * Breaks the paragraphs of a help text at words. First joins the lines of a paragraph, which are broken to fit the source code: a
 * paragraph ends with an empty line, or with a line that ends a sentence. Indented lines, such as examples, stay.
 *
 * @param width in columns
 */
export function wrapParagraphs(text: string, width: number): string {
  return text
    .replaceAll(/(?<=^\S.*[^.:\n])\n(?=\S)/gm, ' ')
    .split('\n')
    .map((line) => (/^\s/.test(line) ? line : wrapped(line, width)))
    .join('\n');
}

/** A word that is longer than the width has a line of its own. */
function wrapped(line: string, width: number): string {
  const [first = '', ...words] = line.split(' ');
  let column = first.length;
  return words.reduce((text, word) => {
    const fits = column + 1 + word.length <= width;
    column = fits ? column + 1 + word.length : word.length;
    return `${text}${fits ? ' ' : '\n'}${word}`;
  }, first);
}
