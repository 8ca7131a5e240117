import type { Command } from 'commander';
import { allCommands } from '../../src/cli/all-commands.ts';
import { programWith } from '../../src/cli/program.ts';

/** What is wrong with the calls of `dramaturg` in a block of commands: unknown commands and options, and too many arguments. */
export async function mistakesOfCommands(text: string): Promise<readonly string[]> {
  const mistakes = await Promise.all(callsIn(text).map(mistakesOf));
  return mistakes.flat();
}

/** The words behind each `dramaturg`, to the end of its command. */
function callsIn(text: string): readonly (readonly string[])[] {
  const calls = text
    .replaceAll(/\\\n\s*/g, '')
    .matchAll(
      /(?:^|[|&;(] *)(?:\$ )?(?:\w+=\S+ )*(?:npx )?dramaturg ((?:'[^']*'|"[^"]*"|[^|;&>\n'"])*)/gm,
    );
  return Array.from(calls, ([, words]) =>
    Array.from(
      words!.replace(/(^|\s)#.*$/, '').matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g),
      ([word]) => word,
    ),
  );
}

async function mistakesOf(words: readonly string[]): Promise<readonly string[]> {
  const [name = '', ...rest] = words;
  if (name.startsWith('-') || /[<[]/.test(name)) return [];
  const program = await programWith(allCommands, [name]);
  let command = program.commands.find((each) => each.name() === name);
  if (command === undefined) return [`There is no command "${name}".`];
  if (command.commands.length > 0)
    command = command.commands.find((each) => each.name() === rest[0]);
  if (command === undefined) return [`"${name}" has no command "${rest[0]}".`];
  return mistakesOfArguments(command, command.name() === name ? rest : rest.slice(1));
}

function mistakesOfArguments(command: Command, words: readonly string[]): readonly string[] {
  const mistakes: string[] = [];
  let count = 0;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    if (!/^--?[a-z]/.test(word)) {
      count += 1;
      continue;
    }
    const [flag] = word.split('=');
    const option = command.options.find(({ long, short }) => flag === long || flag === short);
    if (option === undefined && !['--help', '-h'].includes(flag!))
      mistakes.push(`"${command.name()}" has no option "${flag}".`);
    if (option?.required === true && !word.includes('=')) index += 1;
  }
  const declared = command.registeredArguments;
  const isEnough = declared.some(({ variadic }) => variadic) || count <= declared.length;
  if (!isEnough)
    mistakes.push(`"${command.name()}" takes ${declared.length} arguments, not ${count}.`);
  return mistakes;
}
