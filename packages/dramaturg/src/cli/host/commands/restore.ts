import { Option } from 'commander';
import { type Command, command } from '../../command.ts';
import { copyTo, type CopyToOptions, printCopied } from '../gateway/copy-to.ts';
import { explainFailures } from '../gateway/explain-error.ts';
import { requireNew } from '../gateway/store-data.ts';
import {
  kindAt,
  placeOf,
  requireStore,
  type StoreKind,
  storeKinds,
} from '../gateway/store-folder.ts';

export function restoreCommand(): Command {
  return command('restore')
    .json()
    .description(
      'Copies a backup, or any store that no host runs, to a path where nothing is. Everything is verified before it is copied and compared afterwards.',
    )
    .argument('<from>', 'the folder or file of the backup')
    .argument('<to>', 'a folder or a file that does not exist yet')
    .addOption(
      new Option('--store <kind>', 'the kind of the new store (default: the same)').choices(
        storeKinds,
      ),
    )
    .option('--skip-damaged', 'leave damaged records out, instead of refusing')
    .examples(
      'dramaturg restore backups/monday conversations',
      'dramaturg restore backups/monday conversations-sqlite --store sqlite',
      'dramaturg restore damaged rescued --skip-damaged',
    )
    .action(async (from: string, to: string, options: CopyToOptions & { readonly json?: true }) => {
      const kind = await explainFailures(from, async () => {
        await requireStore(from);
        await requireNew(to);
        return placeOf(to).kind === 'folder' ? kindInFolder(from) : undefined;
      });
      const copied = await copyTo(from, to, { store: kind, ...options });
      printCopied(from, to, copied, options.json === true);
    });
}

/** The kind of a store; undefined for Postgres, which is in no folder. */
async function kindInFolder(store: string): Promise<StoreKind | undefined> {
  const kind = await kindAt(store);
  return kind === 'postgres' ? undefined : kind;
}
