import type { Command } from 'commander';
import type { ExitCode } from '../../usage-error.ts';
import type { HostOptions } from '../host-options.ts';
import { instanceAction, instanceCommand, refusalHelp } from './instance-command.ts';

export function interveneCommand(done: (code: ExitCode) => void): Command {
  return instanceCommand('intervene', 'write to the contact by hand')
    .description('Writes to the contact of an instance by hand, in place of the agent.')
    .argument('<text>', 'the message')
    .addHelpText(
      'after',
      refusalHelp('intervene', 'conversations 3f2a "This is Ada, I take over."'),
    )
    .action((folder: string, given: string, text: string, options: HostOptions) =>
      instanceAction('intervene', done, (desk, id) => desk.intervene(id, text))(
        folder,
        given,
        options,
      ),
    );
}
