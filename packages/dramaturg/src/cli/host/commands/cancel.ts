import type { Command } from 'commander';
import type { ExitCode } from '../../usage-error.ts';
import { instanceAction, instanceCommand, refusalHelp } from './instance-command.ts';
import { operatorIn, type OperatorOptions, withOperator } from './operator-options.ts';

interface CancelOptions extends OperatorOptions {
  readonly reason?: string;
}

export function cancelCommand(done: (code: ExitCode) => void): Command {
  return withOperator(instanceCommand('cancel'))
    .description('Ends an instance for good. Messages that are still unsent stay unsent.')
    .option('--reason <text>', 'why, for the transcript')
    .addHelpText('after', refusalHelp('cancel', 'conversations 3f2a --reason "The order was sent"'))
    .action(
      instanceAction<CancelOptions>('cancel', done, (gateway, id, options) =>
        gateway.cancel(id, options.reason, operatorIn(options)),
      ),
    );
}
