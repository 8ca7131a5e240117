import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { checkCommand } from './commands/check.ts';
import { demoCommand } from './demo/demo.ts';
import { command, examples } from './command.ts';
import { compileCommand } from './commands/compile.ts';
import { printFailure } from './print-failure.ts';
import { hostCommands } from './host/commands/host-commands.ts';
import { inspectCommand } from './commands/inspect.ts';
import { endQuietlyOnBrokenPipe } from './output.ts';
import { newCommand } from './commands/new.ts';
import { runCommand } from './commands/run.ts';
import { schemaCommand } from './commands/schema.ts';
import { testCommand } from './testing/test-command.ts';
import { testStateCommand } from './commands/test-state.ts';
import { typesCommand } from './commands/types.ts';
import { tokenCommand } from './commands/token.ts';
import { topologyCommand } from './commands/topology.ts';
import { storeFirst, withRestate } from './host/restate/restate-options.ts';
import { requireNoSecrets } from './secret-arguments.ts';
import { type ExitCode, exitCodes } from './usage-error.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** Whether the running command prints JSON. An error outside of every promise has to know too. */
let isJson = false;

/** Prepares the process for commands: a broken pipe ends it quietly, and an unexpected error is reported. */
export function prepareProcess(): void {
  endQuietlyOnBrokenPipe(process.stdout);
  endQuietlyOnBrokenPipe(process.stderr);
  // XState throws errors without an observer later, outside of every promise.
  process.on('uncaughtException', (error) => {
    printFailure(error, isJson);
    process.exit(exitCodes.failure);
  });
}

/** Runs the command `dramaturg` with these arguments, on the streams of the process. */
export async function run(args: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.fine;
  isJson = asksForJson(args);
  const program = programWith((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(storeFirst(args, program.commands), { from: 'user' });
  } catch (error) {
    // Commander has printed help and version already. Help without --help means that the command is missing.
    if (!(error instanceof CommanderError)) return printFailure(error, isJson);
    return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
  }
  return exitCode;
}

/** For arguments that cannot be parsed. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

/** The program with all its commands. @param done receives the exit code of the command that has run */
export function programWith(done: (code: ExitCode) => void) {
  const program = command('dramaturg', 'dramaturg')
    .description(
      'Compiles conversation and workflow definitions into XState machines, and runs them.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpCommand(false)
    .hook('preAction', (_, called) => {
      isJson = called.opts<{ readonly json?: true }>().json === true;
      requireNoSecrets(called);
    })
    .addHelpText(
      'after',
      examples([
        'dramaturg check intake.plan.json',
        'dramaturg run intake.plan.json',
        'dramaturg run --help',
      ]),
    )
    .addCommand(demoCommand(done))
    .addCommand(newCommand(done))
    .addCommand(checkCommand(done))
    .addCommand(compileCommand(done))
    .addCommand(runCommand(done))
    .addCommand(testCommand(done))
    .addCommand(testStateCommand(done))
    .addCommand(topologyCommand(done))
    .addCommand(schemaCommand(done))
    .addCommand(typesCommand(done))
    .addCommand(withRestate(inspectCommand(done)))
    .addCommand(tokenCommand(done));
  for (const each of hostCommands(done)) program.addCommand(each);
  return program;
}
