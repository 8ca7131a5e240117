import type { Command } from 'commander';
import { command, examples } from '../command.ts';
import type { ExitCode } from '../usage.ts';
import { findInstance } from './find-instance.ts';
import { type HostOptions, withHostOptions, withJson } from './options.ts';
import { doWork } from './work.ts';

interface ForkOptions extends HostOptions {
  readonly id?: string;
  readonly contact?: string;
}

export function forkCommand(done: (code: ExitCode) => void): Command {
  return withHostOptions(withJson(command('fork')))
    .summary('start a copy of a run at one of its save points')
    .description(
      'Starts a copy of a run as it was at a save point. The run itself is not touched, and may have ended.',
    )
    .argument('<store>', 'the folder of the store')
    .argument('<id>', 'the instance: its id, or the first characters of it')
    .argument('<checkpoint>', 'the name of the save point')
    .option('--id <id>', 'the id of the copy; a random one when left out')
    .option('--contact <address>', 'whom the copy is with; the same as before when left out')
    .addHelpText(
      'after',
      examples([
        'dramaturg fork runs 3f2a after-research',
        'dramaturg fork runs order-1 priced --id order-1-again --agents agents.mjs',
      ]),
    )
    .action(async (folder: string, given: string, checkpoint: string, options: ForkOptions) => {
      const { id: copyId, contact } = options;
      done(
        await doWork({
          folder,
          command: 'fork',
          options,
          work: async (desk) => {
            const instance = await findInstance(desk, given, folder);
            const { id, state } = await desk.fork(instance, checkpoint, {
              ...(copyId === undefined ? {} : { id: copyId }),
              ...(contact === undefined ? {} : { contact }),
            });
            return { id, answer: { accepted: true, state } };
          },
        }),
      );
    });
}
