import type { CheckpointSummary } from '@dramaturg/host';
import { command, type Command } from '../../command.ts';
import { UsageError } from '../../usage-error.ts';
import { findInstance, readFromStore } from '../gateway/open-gateway.ts';
import { type HostOptions, readWholeNumber, withHostOptions } from '../host-options.ts';
import { jsonText, outputTo } from '../../output.ts';
import { type Column, writeTable } from '../print/table.ts';
import { relativeTime } from '../print/time.ts';
import { runOperation } from './run-operation.ts';

interface ForkOptions extends HostOptions {
  readonly step?: number;
  readonly id?: string;
  readonly contact?: string;
}

export function forkCommand(): Command {
  return withHostOptions(command('fork').json())
    .description(
      'Starts a copy of an instance that continues from an earlier point: a save point of a run, or any step. The original is not changed, and may have ended.',
    )
    .store()
    .instance()
    .argument('[checkpoint]', 'the name of a save point')
    .option(
      '--step <number>',
      'instead of a save point: the last step that both have in common, counted from 1 as in the inspector; such a copy has no contact and sends no messages',
      readWholeNumber,
    )
    .option('--id <id>', 'the id of the copy (default: a random id)')
    .option(
      '--contact <address>',
      'the contact of a copy at a save point (default: the contact of the original)',
    )
    .examples(
      'dramaturg fork runs 3f2a after-research',
      'dramaturg fork runs order-1 priced --id order-1-again --agents agents.mjs',
      'dramaturg fork conversations 3f2a --step 7 --id what-if --json',
    )
    .action(
      async (
        folder: string,
        given: string,
        checkpoint: string | undefined,
        options: ForkOptions,
      ) => {
        const at = forkPoint(checkpoint, options);
        return runOperation({
          folder,
          command: 'fork',
          options,
          operation: async (gateway) => {
            const from = await findInstance(gateway, given, folder);
            const { id, state } = await gateway.fork(from, at);
            return { id, answer: { accepted: true, state } };
          },
        });
      },
    );
}

function forkPoint(checkpoint: string | undefined, { step, id, contact }: ForkOptions) {
  if (checkpoint !== undefined && step === undefined) return { checkpoint, id, contact };
  if (checkpoint === undefined && step !== undefined) {
    if (contact === undefined) return { step, id };
    throw new UsageError(
      'A copy after a step has no contact.',
      'Leave out --contact, or name a save point instead of --step.',
    );
  }
  throw new UsageError(
    checkpoint === undefined
      ? 'The point where the copy begins is missing.'
      : 'Both a save point and a step are given.',
    'Name a save point that "dramaturg checkpoints" lists, or a step, such as: --step 7',
  );
}

export function checkpointsCommand(): Command {
  return command('checkpoints')
    .json()
    .description('Lists the save points of a run. A copy of the run can begin at each of them.')
    .store()
    .instance()
    .examples('dramaturg checkpoints runs 3f2a', 'dramaturg checkpoints runs 3f2a --json')
    .action(async (folder: string, given: string, { json }: { readonly json?: true }) => {
      const checkpoints = await readFromStore(folder, async (gateway) =>
        gateway.checkpoints(await findInstance(gateway, given, folder)),
      );
      const output = outputTo(process.stdout);
      if (json) output.write(jsonText({ checkpoints }));
      else if (checkpoints.length === 0) output.write('The run has no save points.\n');
      else writeTable(output, columns(Date.now()), checkpoints);
    });
}

function columns(now: number): readonly Column<CheckpointSummary>[] {
  return [
    { title: 'NAME', text: ({ name }) => name, least: 10 },
    { title: 'SAVED', text: ({ savedAt }) => relativeTime(savedAt, now), least: 8 },
    {
      title: 'EXPIRES',
      text: ({ expiresAt }) => (expiresAt === undefined ? 'never' : relativeTime(expiresAt, now)),
      least: 8,
    },
  ];
}
