import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { checkCommand } from './commands/check.ts';
import { command, examples } from './command.ts';
import { compileCommand } from './commands/compile.ts';
import { hostCommands } from './host/commands/host-commands.ts';
import { inspectCommand } from './commands/inspect.ts';
import { endQuietlyOnBrokenPipe } from './output.ts';
import { runCommand } from './commands/run.ts';
import { topologyCommand } from './commands/topology.ts';
import { exitCodes } from './usage-error.ts';
import { tellFailure } from './failure.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

const done = (code: number): void => {
  process.exitCode = code;
};

const program = command('dramaturg', 'dramaturg')
  .description(
    'Compiles conversation and workflow definitions into XState machines, and runs them.',
  )
  .version(version, '-V, --version', 'print the version')
  .helpCommand(false)
  .addHelpText(
    'after',
    examples([
      'dramaturg check intake.plan.json',
      'dramaturg run intake.plan.json',
      'dramaturg run --help',
    ]),
  )
  .addCommand(checkCommand(done))
  .addCommand(compileCommand(done))
  .addCommand(runCommand(done))
  .addCommand(topologyCommand(done))
  .addCommand(inspectCommand(done));
for (const each of hostCommands(done)) program.addCommand(each);

endQuietlyOnBrokenPipe(process.stdout);
endQuietlyOnBrokenPipe(process.stderr);
// XState reports what nobody waits for by throwing it later.
process.on('uncaughtException', (error) => {
  tellFailure(error);
  process.exit(exitCodes.failure);
});

try {
  await program.parseAsync();
} catch (error) {
  // Help and version are told already; help that nobody asked for means that the command is missing.
  if (error instanceof CommanderError)
    done(error.exitCode === 0 ? exitCodes.fine : exitCodes.usage);
  else done(tellFailure(error));
}
