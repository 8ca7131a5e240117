import type { Command } from 'commander';
import type { ExitCode } from '../../usage-error.ts';
import { instanceAction, instanceCommand, refusalHelp } from './instance-command.ts';
import { operatorIn, type OperatorOptions, withOperator } from './operator-options.ts';

export function pauseCommand(done: (code: ExitCode) => void): Command {
  return withOperator(instanceCommand('pause'))
    .description('Suspends an instance: it sends nothing, and its timers stop.')
    .addHelpText('after', refusalHelp('pause', 'conversations 3f2a'))
    .action(
      instanceAction<OperatorOptions>('pause', done, (gateway, id, options) =>
        gateway.pause(id, operatorIn(options)),
      ),
    );
}
