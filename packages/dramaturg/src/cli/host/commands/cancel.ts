import type { Command } from 'commander';
import type { ExitCode } from '../../usage-error.ts';
import type { HostOptions } from '../host-options.ts';
import { instanceAction, instanceCommand, refusalHelp } from './instance-command.ts';

interface CancelOptions extends HostOptions {
  readonly reason?: string;
}

export function cancelCommand(done: (code: ExitCode) => void): Command {
  return instanceCommand('cancel', 'end an instance')
    .description('Ends an instance for good. Messages that are still unsent stay unsent.')
    .option('--reason <text>', 'why, for the transcript')
    .addHelpText('after', refusalHelp('cancel', 'conversations 3f2a --reason "The order was sent"'))
    .action(
      instanceAction<CancelOptions>('cancel', done, (desk, id, { reason }) =>
        desk.cancel(id, reason),
      ),
    );
}
