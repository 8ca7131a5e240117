import { counted, visible } from '@dramaturg/compiler/text';
import { type Copied, copyStore } from '@dramaturg/host';
import { Option } from 'commander';
import { command, type Command, examples, storeArgument } from '../../command.ts';
import {
  fullNameOf,
  kindAt,
  placeOf,
  requireStore,
  storeAt,
  type StoreKind,
  storeKinds,
} from '../gateway/store-folder.ts';
import { jsonText, outputTo } from '../../output.ts';
import { UsageError } from '../../usage-error.ts';
import { recordsText, withProgress } from '../../view/progress.ts';
import { explainFailures } from '../gateway/explain-error.ts';
import { ownerName, whenReleased } from '../gateway/open-gateway.ts';
import { copyMemories, requireNew } from '../gateway/store-data.ts';

export function copyCommand(): Command {
  return command('copy')
    .json()
    .description(
      'Copies a store that no host runs into a new store of any kind: a folder, a file, or Postgres. Every record keeps all that it has. In the end the content of both stores is compared. The source is only read.',
    )
    .argument('<from>', storeArgument)
    .argument('<to>', 'a store that does not exist yet, or an unfinished copy of the same store')
    .addOption(
      new Option(
        '--store <kind>',
        'the kind of the new store in a folder (default: lowdb)',
      ).choices(storeKinds),
    )
    .option('--skip-damaged', 'leave damaged records out, instead of refusing')
    .addHelpText(
      'after',
      `
If the command is interrupted, run it again: it goes on where it was. Until then
no host opens the new store. A copy that is complete is only compared.

The password of Postgres belongs in the variable PGPASSWORD or in ~/.pgpass.
${examples([
  'dramaturg copy conversations conversations.db',
  'dramaturg copy conversations.db conversations',
  'dramaturg copy conversations "postgres://app@db.example.com/app?schema=support"',
  'dramaturg copy damaged rescued --skip-damaged --json',
])}`,
    )
    .action(
      async (
        from: string,
        to: string,
        options: CopyToOptions & { readonly json?: true },
      ): Promise<void> => {
        printCopied(from, to, await copyTo(from, to, options), options.json === true);
      },
    );
}

export interface CopyToOptions {
  /** The kind of a new store in a folder; lowdb by default. */
  readonly store?: StoreKind | undefined;
  readonly skipDamaged?: true;
}

/** Copies a store with its memories. Shows the progress on a terminal. */
export function copyTo(from: string, to: string, options: CopyToOptions): Promise<Copied> {
  return explainFailures(from, async () => {
    await requireStore(from);
    requireOther(from, to);
    return withProgress(async (show) => {
      // After a power cut, the next run copies the lost records again.
      const target = await storeAt(to, { kind: options.store, fsync: 'batch' });
      const source = await storeAt(from, {});
      const copyOptions = {
        skipDamaged: options.skipDamaged === true,
        names: { from: inCommand(from), to: inCommand(to) },
        finish: () => copyMemories(from, to),
        onProgress: (step: keyof typeof steps, done: number, all: number) =>
          show(recordsText(steps[step], done, all)),
      };
      return whenReleased(
        () => copyStore(source, target, copyOptions),
        (message) => message.includes(`"${ownerName('copy')}"`),
        leaseWait,
      );
    });
  });
}

const steps = {
  verify: 'Verifying',
  copy: 'Copying',
  compare: 'Comparing',
  check: 'Verifying the copy of',
} as const;

/** In Postgres, the lease of a killed copy expires after some seconds. */
const leaseWait = { withinMs: 15_000, pauseMs: 500 };

function requireOther(from: string, to: string): void {
  if (fullNameOf(from) !== fullNameOf(to)) return;
  throw new UsageError(
    `"${visible(from)}" and "${visible(to)}" are the same store. Nothing was changed.`,
    'Name another place for the copy.',
  );
}

/** The name of a store that works for a command in any folder. */
function inCommand(store: string): string {
  const name = fullNameOf(store);
  return /^[\w./:@=+-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}

/** Prints how much a copy of a store contains, its checksum, and the parts that were left out. */
export function printCopied(from: string, to: string, copied: Copied, isJson: boolean): void {
  const { write, paint } = outputTo(process.stdout);
  if (isJson) {
    write(jsonText(copied));
    return;
  }
  const { records, lines, checksum, skipped, wasComplete } = copied;
  const counts = `${counted(records, 'record')} and ${counted(lines, 'line')}`;
  const before = wasComplete ? 'The copy was complete. ' : '';
  write(`${paint('green', '✓')} ${before}"${visible(to)}" has ${counts}.\n`);
  write(visible(`  the same content as "${from}": SHA-256 ${checksum}`) + '\n');
  for (const { id, reason } of skipped)
    write(
      visible(`  left out: ${id === undefined ? 'a part of the store' : `"${id}"`}: ${reason}`) +
        '\n',
    );
}

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
