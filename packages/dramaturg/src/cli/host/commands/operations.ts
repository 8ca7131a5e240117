import type { Command } from 'commander';
import type { Answer } from '@dramaturg/host';
import { command, examples } from '../../command.ts';
import type { ExitCode } from '../../usage-error.ts';
import type { Desk } from '../desk/desk.ts';
import { findInstance } from '../desk/find-instance.ts';
import { type HostOptions, withHostOptions, withJson } from '../host-options.ts';
import { doWork } from '../desk/change-store.ts';

type Done = (code: ExitCode) => void;

export function pauseCommand(done: Done): Command {
  return operation('pause', 'suspend an instance')
    .description('Suspends an instance: it says nothing more, and its timers stand still.')
    .addHelpText('after', examplesOf('pause', 'conversations 3f2a'))
    .action(operate('pause', done, (desk, id) => desk.pause(id)));
}

export function resumeCommand(done: Done): Command {
  return operation('resume', 'let an instance go on')
    .description('Lets an instance go on that is paused, or that waits for a person.')
    .addHelpText('after', examplesOf('resume', 'conversations 3f2a'))
    .action(operate('resume', done, (desk, id) => desk.resume(id)));
}

export function cancelCommand(done: Done): Command {
  return operation('cancel', 'end an instance')
    .description('Ends an instance for good. Nothing that has not left goes out any more.')
    .option('--reason <text>', 'why, for the transcript')
    .addHelpText('after', examplesOf('cancel', 'conversations 3f2a --reason "The order was sent"'))
    .action(operate('cancel', done, (desk, id, { reason }) => desk.cancel(id, reason)));
}

export function interveneCommand(done: Done): Command {
  return withHostOptions(withJson(command('intervene')))
    .summary('write to the contact by hand')
    .description('Writes to the contact of an instance by hand, in place of the agent.')
    .argument('<store>', 'the folder of the store')
    .argument('<id>', 'the instance: its id, or the first characters of it')
    .argument('<text>', 'the message')
    .addHelpText('after', examplesOf('intervene', 'conversations 3f2a "This is Ada, I take over."'))
    .action(async (folder: string, given: string, text: string, options: HostOptions) => {
      done(
        await doWork({
          folder,
          command: 'intervene',
          options,
          work: async (desk) => {
            const id = await findInstance(desk, given, folder);
            return { id, answer: await desk.intervene(id, text) };
          },
        }),
      );
    });
}

interface Options extends HostOptions {
  readonly reason?: string;
}

function operation(name: string, summary: string): Command {
  return withHostOptions(withJson(command(name)))
    .summary(summary)
    .argument('<store>', 'the folder of the store')
    .argument('<id>', 'the instance: its id, or the first characters of it');
}

function operate(
  name: string,
  done: Done,
  act: (desk: Desk, id: string, options: Options) => Promise<Answer>,
): (folder: string, given: string, options: Options) => Promise<void> {
  return async (folder, given, options) => {
    done(
      await doWork({
        folder,
        command: name,
        options,
        work: async (desk) => {
          const id = await findInstance(desk, given, folder);
          return { id, answer: await act(desk, id, options) };
        },
      }),
    );
  };
}

function examplesOf(name: string, args: string): string {
  return `
An instance that does not accept it in its state says so, with the exit code 6.
${examples([`dramaturg ${name} ${args}`, `dramaturg ${name} ${args} --json`])}`;
}
