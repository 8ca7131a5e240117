import type { Command } from 'commander';
import { command, examples } from '../../command.ts';
import { type ExitCode, UsageError } from '../../usage-error.ts';
import { findInstance } from '../desk/find-instance.ts';
import { type HostOptions, readWholeNumber, withHostOptions, withJson } from '../host-options.ts';
import { doWork } from '../desk/change-store.ts';

interface ForkOptions extends HostOptions {
  readonly step?: number;
  readonly id?: string;
  readonly contact?: string;
}

export function forkCommand(done: (code: ExitCode) => void): Command {
  return withHostOptions(withJson(command('fork')))
    .summary('start a copy of an instance where that one was')
    .description(
      'Starts an instance that begins where another one was, at a save point of a run or after any step, and goes on from there. The other one is not touched, and may have ended.',
    )
    .argument('<store>', 'the folder of the store')
    .argument('<id>', 'the instance: its id, or the first characters of it')
    .argument('[checkpoint]', 'the name of a save point')
    .option(
      '--step <number>',
      'in place of a save point: the last step that both have in common, as the inspector counts them, from 1; such a copy has no contact and speaks to nobody',
      readWholeNumber,
    )
    .option('--id <id>', 'the id of the copy; a random one when left out')
    .option(
      '--contact <address>',
      'whom a copy at a save point is with; the same as before when left out',
    )
    .addHelpText(
      'after',
      examples([
        'dramaturg fork runs 3f2a after-research',
        'dramaturg fork runs order-1 priced --id order-1-again --agents agents.mjs',
        'dramaturg fork conversations 3f2a --step 7 --id what-if --json',
      ]),
    )
    .action(
      async (
        folder: string,
        given: string,
        checkpoint: string | undefined,
        options: ForkOptions,
      ) => {
        const at = placeIn(checkpoint, options);
        done(
          await doWork({
            folder,
            command: 'fork',
            options,
            work: async (desk) => {
              const from = await findInstance(desk, given, folder);
              const { id, state } = await desk.fork(from, at);
              return { id, answer: { accepted: true, state } };
            },
          }),
        );
      },
    );
}

function placeIn(checkpoint: string | undefined, { step, id, contact }: ForkOptions) {
  const named = id === undefined ? {} : { id };
  if (checkpoint !== undefined && step === undefined)
    return { checkpoint, ...named, ...(contact === undefined ? {} : { contact }) };
  if (checkpoint === undefined && step !== undefined) {
    if (contact === undefined) return { step, ...named };
    throw new UsageError(
      'A copy after a step is with nobody.',
      'Leave out --contact, or name a save point instead of --step.',
    );
  }
  throw new UsageError(
    checkpoint === undefined ? 'Nothing says where the copy begins.' : 'Two places are named.',
    'Name a save point, which "dramaturg checkpoints" lists, or the number of a step: --step 7',
  );
}
