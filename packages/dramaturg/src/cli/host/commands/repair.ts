import { counted, visible } from '@dramaturg/compiler/text';
import { planRepair, type RepairStep } from '@dramaturg/host';
import { type Command, command, examples } from '../../command.ts';
import { outputTo, jsonText } from '../../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../../usage-error.ts';
import { explainFailures } from '../gateway/explain-error.ts';
import { runningHost } from '../gateway/open-gateway.ts';
import { requireStore, storeAt } from '../gateway/store-folder.ts';
import { progressOf } from '../print/progress.ts';

interface RepairOptions {
  readonly yes?: true;
  readonly json?: true;
}

export function repairCommand(): Command {
  return command('repair')
    .json()
    .description(
      'Says what is damaged or stuck in a store that no host runs, what a repair would do, and what would be lost. Changes nothing without --yes.',
    )
    .store()
    .option('--yes', 'do what the command says without it')
    .addHelpText(
      'after',
      `
Make a copy of the folder first. A repair makes a store usable; it cannot bring
back what is lost. "dramaturg restore" brings back a backup.
${examples(['dramaturg repair conversations', 'dramaturg repair conversations --yes'])}`,
    )
    .action(async (folder: string, options: RepairOptions) => {
      return explainFailures(folder, () => repair(folder, options));
    });
}

async function repair(folder: string, { yes, json }: RepairOptions): Promise<ExitCode> {
  await requireStore(folder);
  const place = await storeAt(folder, {});
  if (await runningHost(folder)) {
    throw new UsageError(
      `A host runs the store "${visible(folder)}".`,
      'Stop it first: a store is repaired while nobody uses it.',
      exitCodes.storeUnusable,
      'store/owned',
    );
  }
  const progress = progressOf({ verify: 'Verifying' });
  let steps: readonly RepairStep[];
  try {
    steps = await planRepair(place, (count, all) => progress.show('verify', count, all));
  } finally {
    progress.end();
  }
  if (yes) for (const step of steps) await step.apply();
  const { write, paint } = outputTo(process.stdout);
  if (json) {
    const listed = steps.map(({ finding, action }) => ({ finding, action }));
    write(jsonText({ steps: listed, done: yes === true }));
  } else if (steps.length === 0) {
    write(`${paint('green', '✓')} There is nothing to repair.\n`);
  } else {
    write(`${counted(steps.length, 'step')}:\n`);
    for (const [index, { finding, action }] of steps.entries())
      write(`${index + 1}. ${visible(finding)}\n   ${paint('bold', visible(action))}\n`);
    write(
      yes
        ? `${paint('green', '✓')} Done. "dramaturg verify ${visible(folder)}" shows whether all is sound.\n`
        : `Nothing was changed. To do this: dramaturg repair ${visible(folder)} --yes\n`,
    );
  }
  return steps.length === 0 || yes ? exitCodes.fine : exitCodes.storeUnusable;
}
