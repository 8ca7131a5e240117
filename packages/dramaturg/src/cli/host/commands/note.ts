import type { Command } from 'commander';
import type { ExitCode } from '../../usage-error.ts';
import { instanceAction, instanceCommand, refusalHelp } from './instance-command.ts';
import { operatorIn, type OperatorOptions, withOperator } from './operator-options.ts';

export function noteCommand(done: (code: ExitCode) => void): Command {
  return withOperator(instanceCommand('note'))
    .description(
      'Adds a note to an instance. "dramaturg show" prints it. Neither the contact nor a model gets it.',
    )
    .argument('<text>', 'the note')
    .addHelpText('after', refusalHelp('note', 'conversations 3f2a "Prefers e-mail." --as ana'))
    .action((folder: string, given: string, text: string, options: OperatorOptions) =>
      instanceAction<OperatorOptions>('note', done, (gateway, id) =>
        gateway.addNote(id, text, operatorIn(options)),
      )(folder, given, options),
    );
}
