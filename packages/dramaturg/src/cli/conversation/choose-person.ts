import { visible } from '@dramaturg/compiler/text';
import { UsageError } from '../usage-error.ts';
import { type Person, personOfLines, personOfPipe } from './person.ts';
import { personAtTerminal, type TerminalPerson } from './terminal.ts';

interface PersonOptions {
  /** With JSON on standard output, the prompts go to standard error. */
  readonly json?: true;
}

/** The person of a run: the lines of a script, else standard input, which is a pipe or a terminal. */
export function choosePerson(
  script: readonly string[] | undefined,
  { json }: PersonOptions,
  onLeave: () => void,
): Person | TerminalPerson {
  if (script) return personOfLines(script);
  if (!process.stdin.isTTY) return personOfPipe(process.stdin);
  return personAtTerminal(process.stdin, json ? process.stderr : process.stdout, onLeave);
}

/**
 * The person's lines of a script: those that begin with `>`, such as `> Ada` and `> user: "Ada"`. All other lines are
 * comments. If no line begins with `>`, every line is the person's.
 */
export function readScript(text: string, name: string): string[] {
  const written = text.split(/\r?\n/).map((line) => line.trim());
  const marked = written.filter((line) => line.startsWith('>'));
  const lines = marked.length > 0 ? marked.flatMap(personsLine) : written;
  const said = lines.filter((line) => line.trim() !== '');
  if (said.length > 0) return said;
  throw new UsageError(
    `The script "${visible(name)}" has no lines of the person.`,
    'Begin each line of the person with ">", such as: > My name is Ada.',
  );
}

function personsLine(line: string): string[] {
  const said = line.slice(1).trim();
  // Transcripts of tests also contain the answers of a model.
  if (said.startsWith('model:')) return [];
  const user = /^user:\s*(.*)$/.exec(said)?.[1];
  return [user === undefined ? said : unquoted(user)];
}

function unquoted(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}
