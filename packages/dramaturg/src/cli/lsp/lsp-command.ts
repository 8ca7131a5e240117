import type { Command } from 'commander';
import { command, examples } from '../command.ts';
import { withJson } from '../host/host-options.ts';
import { type ExitCode, exitCodes } from '../usage-error.ts';
import { serveEditor } from './language-server.ts';

export function lspCommand(done: (code: ExitCode) => void): Command {
  return withJson(command('lsp'), 'print an error in the arguments as JSON')
    .description(
      'Serves an editor by the Language Server Protocol on standard input and output: mistakes while typing, completion, hover, the place that declares a name, and the outline. An editor starts it.',
    )
    .option('--stdio', 'what many editors pass; it is the only way of transport')
    .addHelpText('after', examples(['dramaturg lsp', 'npx dramaturg lsp --stdio']))
    .action(async () => {
      await serveEditor();
      done(exitCodes.fine);
    });
}
