import type { CheckpointSummary } from '@dramaturg/host';
import { type Command, command } from '../../command.ts';
import { outputTo, jsonText } from '../../output.ts';
import { findInstance, readFromStore } from '../gateway/open-gateway.ts';
import { type Column, writeTable } from '../print/table.ts';
import { relativeTime } from '../print/time.ts';

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
