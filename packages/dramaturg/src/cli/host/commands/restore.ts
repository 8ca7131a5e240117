import { rm } from 'node:fs/promises';
import { counted, visible } from '@dramaturg/compiler';
import { restore, type Restored } from '@dramaturg/host';
import { type Command, Option } from 'commander';
import { command, examples } from '../../command.ts';
import { outputTo } from '../../output.ts';
import { type ExitCode, exitCodes } from '../../usage-error.ts';
import { explainFailures } from '../desk/explain-failures.ts';
import { copyMemories, requireNewFolder } from '../desk/store-data.ts';
import { kindIn, requireStore, storeIn, type StoreKind, storeKinds } from '../desk/store-folder.ts';
import { withJson } from '../host-options.ts';
import { progressOf } from '../print/progress.ts';

interface RestoreCommandOptions {
  readonly store?: StoreKind;
  readonly skipDamaged?: true;
  readonly json?: true;
}

export function restoreCommand(done: (code: ExitCode) => void): Command {
  return withJson(command('restore'))
    .summary('copy a backup or a store into a new store')
    .description(
      'Copies a backup, or any store that no host runs, into a new store, which may be of another kind. Everything is verified before and after it is copied.',
    )
    .argument('<from>', 'the folder of the backup or store')
    .argument('<to>', 'a folder that does not exist yet')
    .addOption(
      new Option('--store <kind>', 'the kind of the new store (default: the same)').choices(
        storeKinds,
      ),
    )
    .option('--skip-damaged', 'leave damaged records out, instead of refusing')
    .addHelpText(
      'after',
      examples([
        'dramaturg restore backups/monday conversations',
        'dramaturg restore conversations conversations-sqlite --store sqlite',
        'dramaturg restore damaged rescued --skip-damaged',
      ]),
    )
    .action(async (from: string, to: string, options: RestoreCommandOptions) => {
      const restored = await explainFailures(from, () => restoreFolder(from, to, options));
      print(to, restored, options.json === true);
      done(exitCodes.fine);
    });
}

async function restoreFolder(
  from: string,
  to: string,
  { store, skipDamaged }: RestoreCommandOptions,
): Promise<Restored> {
  await requireStore(from);
  await requireNewFolder(to);
  const kind = store ?? (await kindIn(from));
  const progress = progressOf({ verify: 'Verifying', copy: 'Copying', check: 'Checking' });
  try {
    const restored = await restore(await storeIn(from, {}), await storeIn(to, { kind }), {
      skipDamaged: skipDamaged === true,
      onProgress: progress.show,
    });
    await copyMemories(from, to);
    return restored;
  } catch (error) {
    await rm(to, { recursive: true, force: true });
    throw error;
  } finally {
    progress.end();
  }
}

function print(to: string, { records, lines, skipped }: Restored, isJson: boolean): void {
  const { write, paint } = outputTo(process.stdout);
  if (isJson) {
    write(`${JSON.stringify({ records, lines, skipped }, undefined, 2)}\n`);
    return;
  }
  const counts = `${counted(records, 'record')} and ${counted(lines, 'line')}`;
  write(`${paint('green', '✓')} "${visible(to)}" has ${counts}.\n`);
  for (const { id, reason } of skipped)
    write(
      visible(`  left out: ${id === undefined ? 'a part of the store' : `"${id}"`}: ${reason}`) +
        '\n',
    );
}
