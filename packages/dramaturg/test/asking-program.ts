/** Asks for a line on the terminal, and prints a message as soon as a "b" was typed, and half of one for a "d". */
import type * as Terminal from '../src/cli/conversation/terminal.ts';

const built = new URL('../dist/cli/conversation/terminal.js', import.meta.url).href;
const { personAtTerminal } = (await import(built)) as typeof Terminal;

const person = personAtTerminal(process.stdin, process.stdout, () => {});
process.stdin.on('data', (typed: Buffer) => {
  if (typed.includes('b')) process.stderr.write('a message\nof two lines\n');
  if (typed.includes('d')) process.stdout.write('half of ');
  if (typed.includes('e')) process.stdout.write('a message\n');
});
const line = await person.ask('you ');
person.leave();
process.stdout.write(`said ${line}\n`);
