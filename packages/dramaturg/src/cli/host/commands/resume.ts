import type { Command } from 'commander';
import type { ExitCode } from '../../usage-error.ts';
import { instanceAction, instanceCommand, refusalHelp } from './instance-command.ts';
import { operatorIn, type OperatorOptions, withOperator } from './operator-options.ts';

export function resumeCommand(done: (code: ExitCode) => void): Command {
  return withOperator(instanceCommand('resume'))
    .description('Lets an instance continue that is paused or waits for a person.')
    .addHelpText('after', refusalHelp('resume', 'conversations 3f2a'))
    .action(
      instanceAction<OperatorOptions>('resume', done, (gateway, id, options) =>
        gateway.resume(id, operatorIn(options)),
      ),
    );
}
