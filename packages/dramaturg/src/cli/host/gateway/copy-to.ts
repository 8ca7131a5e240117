import { setTimeout as pause } from 'node:timers/promises';
import { counted, visible } from '@dramaturg/compiler/text';
import { type Copied, copyStore, StoreError } from '@dramaturg/host';
import { outputTo, jsonText } from '../../output.ts';
import { UsageError } from '../../usage-error.ts';
import { progressOf } from '../print/progress.ts';
import { explainFailures } from './explain-error.ts';
import { ownerName } from './open-gateway.ts';
import { copyMemories } from './store-data.ts';
import { fullNameOf, requireStore, storeAt, type StoreKind } from './store-folder.ts';

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
    const progress = progressOf({
      verify: 'Verifying',
      copy: 'Copying',
      compare: 'Comparing',
      check: 'Verifying the copy of',
    });
    try {
      // After a power cut, the next run copies the lost records again.
      const target = await storeAt(to, { kind: options.store, fsync: 'batch' });
      const source = await storeAt(from, {});
      const copyOptions = {
        skipDamaged: options.skipDamaged === true,
        names: { from: inCommand(from), to: inCommand(to) },
        finish: () => copyMemories(from, to),
        onProgress: progress.show,
      };
      return await whenReleased(() => copyStore(source, target, copyOptions));
    } finally {
      progress.end();
    }
  });
}

/** In Postgres, the lease of a killed copy expires after some seconds. */
const leaseMs = 15_000;

async function whenReleased(copy: () => Promise<Copied>): Promise<Copied> {
  const deadline = Date.now() + leaseMs;
  for (;;) {
    try {
      return await copy();
    } catch (error) {
      const isOfCopy =
        error instanceof StoreError &&
        error.code === 'store/owned' &&
        error.message.includes(`"${ownerName('copy')}"`);
      if (!isOfCopy || Date.now() > deadline) throw error;
      await pause(500);
    }
  }
}

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
