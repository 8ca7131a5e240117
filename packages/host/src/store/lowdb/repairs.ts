import { join } from 'node:path';
import { StoreError } from '../errors.ts';
import { checkNotOwned } from '../owner/lock-file.ts';
import type { RepairStep } from '../repair-step.ts';
import { findData, lockName } from './layout.ts';
import { openForReading, openForWriting, type WritingOptions } from './open.ts';

const action = [
  'Continues with what is left. Writes that cannot be read are lost: records return to their last state before them, new records are gone, and deleted records can be there again.',
  'Records that changed afterwards are set aside as damaged.',
  'If store.json is lost, nobody can notice which files of records are missing.',
  'The feed gets a new name: the cursors of streams of all instances and of contacts are refused.',
].join(' ');

/**
 * Plans the step with which a store can be opened that lacks `store.json` or a part of its journal. Nothing is changed until the
 * step is applied.
 *
 * @throws `store/owned`; `store/damaged` when nothing can replace what is missing
 */
export async function planLowdbRepairs(
  path: string,
  options: WritingOptions,
): Promise<readonly RepairStep[]> {
  await checkNotOwned(join(path, lockName), options.system);
  const finding = await findingAt(path, options);
  if (finding === undefined) return [];
  const apply = async () => {
    if ((await findingAt(path, options)) !== finding)
      throw new StoreError(
        'store/damaged',
        `The store ${path} has changed since the repair was planned. Plan it again.`,
      );
    const store = await openForWriting(path, 'a repair', options, true);
    await store.close();
  };
  return [{ finding, action, apply }];
}

/** Why a store cannot be opened, if a repair helps. */
async function findingAt(path: string, { system }: WritingOptions): Promise<string | undefined> {
  const found = await findData(path, system.files);
  if (found === undefined) return undefined;
  try {
    const reader = await openForReading(path, system);
    const lost = (await reader.damaged()).find(({ where }) => where === found.data);
    await reader.close();
    return lost?.reason;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store/damaged') return error.message;
    throw error;
  }
}
