import type { Command } from 'commander';
import type { ExitCode } from '../../usage-error.ts';
import { instanceAction, instanceCommand, refusalHelp } from './instance-command.ts';
import { operatorIn, type OperatorOptions, withOperator } from './operator-options.ts';

export function interveneCommand(done: (code: ExitCode) => void): Command {
  return withOperator(instanceCommand('intervene'))
    .description('Writes to the contact of an instance by hand, in place of the agent.')
    .argument('<text>', 'the message')
    .option(
      '--up-to <line>',
      'the id of the last line you have read: the agent answers later ones only',
    )
    .addHelpText(
      'after',
      refusalHelp('intervene', 'conversations 3f2a "This is Ada, I take over."'),
    )
    .action(
      (folder: string, given: string, text: string, options: OperatorOptions & { upTo?: string }) =>
        instanceAction('intervene', done, (gateway, id) =>
          gateway.intervene(id, text, {
            ...operatorIn(options),
            ...(options.upTo !== undefined && { upTo: options.upTo }),
          }),
        )(folder, given, options),
    );
}
