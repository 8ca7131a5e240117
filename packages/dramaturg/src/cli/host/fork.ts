import type { Command } from 'commander';
import { command, examples } from '../command.ts';
import type { ExitCode } from '../usage.ts';
import { findInstance } from './find-instance.ts';
import { type HostOptions, readWholeNumber, withHostOptions, withJson } from './options.ts';
import { doWork } from './work.ts';

interface ForkOptions extends HostOptions {
  readonly step: number;
  readonly id?: string;
}

export function forkCommand(done: (code: ExitCode) => void): Command {
  return withHostOptions(withJson(command('fork')))
    .summary('start an instance where another one was')
    .description(
      'Starts an instance that begins where another one was after one of its steps, and goes on from there. It has no contact and speaks to nobody; the other one is not touched.',
    )
    .argument('<store>', 'the folder of the store')
    .argument('<id>', 'the instance: its id, or the first characters of it')
    .requiredOption(
      '--step <number>',
      'the last step that both have in common, as the inspector and the journal count them, from 1',
      readWholeNumber,
    )
    .option('--id <id>', 'the id of the new instance; a random one when left out')
    .addHelpText(
      'after',
      examples([
        'dramaturg fork conversations 3f2a --step 7',
        'dramaturg fork conversations 3f2a --step 7 --id what-if --json',
      ]),
    )
    .action(async (folder: string, given: string, options: ForkOptions) => {
      done(
        await doWork({
          folder,
          command: 'fork',
          options,
          work: async (desk) => {
            const from = await findInstance(desk, given, folder);
            const { step, id: wanted } = options;
            const { id, state } = await desk.fork(from, {
              step,
              ...(wanted === undefined ? {} : { id: wanted }),
            });
            return { id, answer: { accepted: true, state } };
          },
        }),
      );
    });
}
