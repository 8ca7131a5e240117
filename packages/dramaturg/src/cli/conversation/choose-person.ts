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
