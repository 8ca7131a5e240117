import { counted, visible } from '@dramaturg/compiler/text';
import { type HostVerification, planRepair } from '@dramaturg/host';
import { command, type Command, examples } from '../../command.ts';
import { jsonText, outputTo } from '../../output.ts';
import { type ExitCode, exitCodes, UsageError } from '../../usage-error.ts';
import { readFromStore, runningHost } from '../gateway/open-gateway.ts';
import { recordsText, withProgress } from '../../view/progress.ts';
import { explainFailures } from '../gateway/explain-error.ts';
import { requireStore, storeAt } from '../gateway/store-folder.ts';

export function verifyCommand(): Command {
  return command('verify')
    .json()
    .description(
      'Reads everything in a store, compares all checksums, and lists what is damaged or missing, and instances that nothing would continue. Changes nothing. A host that runs the store goes on in the meantime.',
    )
    .store()
    .addHelpText(
      'after',
      `
If something is damaged or stuck, the command exits with 7.
${examples(['dramaturg verify conversations', 'dramaturg verify backups/monday --json'])}`,
    )
    .action(async (folder: string, { json }: { readonly json?: true }) => {
      const found = await verifying((onProgress) =>
        readFromStore(folder, (gateway) => gateway.verify({}, { onProgress })),
      );
      if (json) outputTo(process.stdout).write(jsonText(found));
      else print(folder, found);
      const isSound = found.damaged.length + found.stuck.length === 0;
      return isSound ? exitCodes.fine : exitCodes.storeUnusable;
    });
}

/** Verifies with a line that counts the records. */
function verifying<Result>(
  verify: (onProgress: (done: number, all: number) => void) => Promise<Result>,
): Promise<Result> {
  return withProgress((show) => verify((done, all) => show(recordsText('Verifying', done, all))));
}

function print(folder: string, { records, lines, damaged, stuck }: HostVerification): void {
  const { write, paint } = outputTo(process.stdout);
  const sound = `${counted(records, 'record')} and ${counted(lines, 'line')}`;
  if (damaged.length + stuck.length === 0) {
    write(`${paint('green', '✓')} ${sound}, all sound.\n`);
    return;
  }
  const faults = [
    ...(damaged.length > 0 ? [`${counted(damaged.length, 'place')} damaged`] : []),
    ...(stuck.length > 0 ? [`${counted(stuck.length, 'instance')} stuck`] : []),
  ];
  write(`${paint('red', '✗')} ${faults.join(', ')}; ${sound} are sound.\n`);
  for (const { id, reason, where } of damaged)
    write(
      visible(`  ${id === undefined ? 'a part of the store' : `"${id}"`}: ${reason} (${where})`) +
        '\n',
    );
  for (const { id, reason } of stuck) write(`${visible(`  "${id}" is stuck: ${reason}`)}\n`);
  write(`${paint('cyan', 'hint:')} "dramaturg repair ${visible(folder)}" says what can be done.\n`);
}

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
  const steps = await verifying((onProgress) => planRepair(place, onProgress));
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
