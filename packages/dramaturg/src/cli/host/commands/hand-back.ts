import type { Command } from 'commander';
import type { ExitCode } from '../../usage-error.ts';
import { instanceAction, instanceCommand, refusalHelp } from './instance-command.ts';
import { operatorIn, type OperatorOptions, withOperator } from './operator-options.ts';

interface HandBackOptions extends OperatorOptions {
  readonly force?: true;
}

export function handBackCommand(done: (code: ExitCode) => void): Command {
  return withOperator(instanceCommand('hand-back'))
    .description(
      'Releases an instance that was taken over, and resumes it: its next turn answers what the contact has written in between.',
    )
    .option('--force', 'also if somebody else has it')
    .addHelpText('after', refusalHelp('hand-back', 'conversations 3f2a --as ana'))
    .action(
      instanceAction<HandBackOptions>('hand-back', done, (gateway, id, options) =>
        gateway.handBack(id, {
          ...operatorIn(options),
          ...(options.force ? { force: true } : {}),
        }),
      ),
    );
}
