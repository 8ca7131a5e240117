import { Option } from 'commander';
import { type Command, command, examples } from '../command.ts';

export function lspCommand(): Command {
  return (
    command('lsp')
      .json('print a failure as one JSON value')
      .description(
        'Serves an editor by the Language Server Protocol on the standard streams: mistakes while you type, completion, explanations, the places that declare names, and an outline. An editor starts this command.',
      )
      .option('--stdio', 'use the standard streams, which is the default; editors may pass it')
      // Clients for VS Code pass it to a server that is a JavaScript file; the library reads it.
      .addOption(new Option('--clientProcessId <id>').hideHelp())
      .addHelpText(
        'after',
        `
It answers for files whose names belong to a format, such as intake.plan.yaml, and
for texts that are recognised as a definition, such as workflow.json. It ends when
the editor says so, or closes its standard input. See docs/editors.md.
${examples(['dramaturg lsp', 'npx dramaturg lsp --stdio'])}`,
      )
      .action(async () => {
        (await import('./serve-editor.ts')).serveEditor();
      })
  );
}
