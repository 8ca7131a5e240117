import { type Command, Option } from 'commander';
import type { ExitCode } from '../../usage-error.ts';
import { instanceAction, instanceCommand, refusalHelp } from './instance-command.ts';
import { operatorIn, type OperatorOptions, readMinutes, withOperator } from './operator-options.ts';

interface TakeOverOptions extends OperatorOptions {
  readonly for?: number;
  readonly force?: true;
}

export function takeOverCommand(done: (code: ExitCode) => void): Command {
  return withOperator(instanceCommand('take-over'))
    .description(
      'Pauses an instance and claims it for a person: the agent says nothing, no reminder fires, and others cannot act on it. Each act of the person renews the claim; it expires after 15 minutes without one.',
    )
    .addOption(
      new Option('--for <minutes>', 'how long the claim holds without an act').argParser(
        readMinutes,
      ),
    )
    .option('--force', 'take it from somebody else')
    .addHelpText('after', refusalHelp('take-over', 'conversations 3f2a --as ana'))
    .action(
      instanceAction<TakeOverOptions>('take-over', done, (gateway, id, options) =>
        gateway.takeOver(id, {
          ...operatorIn(options),
          ...(options.for === undefined ? {} : { forMs: options.for }),
          ...(options.force ? { force: true } : {}),
        }),
      ),
    );
}
