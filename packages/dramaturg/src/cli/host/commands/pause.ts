import type { Command } from 'commander';
import type { ExitCode } from '../../usage-error.ts';
import { instanceAction, instanceCommand, refusalHelp } from './instance-command.ts';

export function pauseCommand(done: (code: ExitCode) => void): Command {
  return instanceCommand('pause', 'suspend an instance')
    .description('Suspends an instance: it sends nothing, and its timers stop.')
    .addHelpText('after', refusalHelp('pause', 'conversations 3f2a'))
    .action(instanceAction('pause', done, (desk, id) => desk.pause(id)));
}
