import { join } from 'node:path';
import { DamageError } from '../damage-error.ts';
import type { System } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import { checkNotOwned } from '../owner/lock-file.ts';
import { OwnerLock } from '../owner/owner-lock.ts';
import type { RepairStep } from '../repair-step.ts';
import {
  finishCreation,
  inspect,
  lockName,
  lostPartOf,
  startCreation,
  writeMarker,
} from './layout.ts';
import { openForReading, openForWriting, type WritingOptions } from './open.ts';
import { readManifest } from './manifest.ts';

const owner = 'a repair';

interface Plan extends Pick<RepairStep, 'finding' | 'action'> {
  /** Makes it possible to open the store; undefined when what is left is opened once. */
  readonly prepare?: () => Promise<void>;
}

/**
 * Plans the step with which a store can be opened that lacks `store.json`, its data folder, its manifest, its index or a part of
 * its journal, or whose feed is damaged. Nothing is changed until the step is applied.
 *
 * @throws `store/owned`; `store/damaged` when a part is missing and nothing can replace it
 */
export async function planLowdbRepairs(
  path: string,
  options: WritingOptions,
): Promise<readonly RepairStep[]> {
  const { system } = options;
  await checkNotOwned(join(path, lockName), system);
  const plan = await planFor(path, system);
  if (plan === undefined) return [];
  const { finding, action } = plan;
  return [{ finding, action, apply: () => repair(path, finding, options) }];
}

/** Makes the plan again and does it. */
async function repair(path: string, finding: string, options: WritingOptions): Promise<void> {
  const { system, onError } = options;
  const lock = await OwnerLock.acquire(join(path, lockName), owner, {
    system,
    onTrouble: onError,
  });
  let plan: Plan | undefined;
  try {
    plan = await planFor(path, system);
    if (plan?.finding !== finding) {
      const message = `The store ${path} has changed since the repair was planned. Plan it again.`;
      throw new StoreError('store/damaged', message);
    }
    await lock.check();
    await plan.prepare?.();
  } finally {
    await lock.release();
  }
  if (plan.prepare !== undefined) return;
  const store = await openForWriting(path, owner, options, true);
  await store.close();
}

async function planFor(path: string, system: System): Promise<Plan | undefined> {
  const { files } = system;
  const randomId = () => system.randomId();
  const lost = await lostPartOf(path, files);
  if (lost === 'marker')
    return {
      finding: `The file store.json of ${path} is missing or cannot be read.`,
      action: 'Writes it again: it has the kind and the version of the store. Nothing is lost.',
      prepare: async () => {
        const draft = join(path, 'store.json.new');
        await files.remove(draft);
        await writeMarker(path, files, draft);
      },
    };
  if (lost === 'data')
    return {
      finding: `The data folder of ${path} is missing: it has all records.`,
      action:
        'Creates an empty store. All records are lost, unless the folder is put back or a backup is restored instead.',
      prepare: async () => {
        await startCreation(path, files);
        await finishCreation(path, files, randomId);
      },
    };
  const found = await inspect(path, files);
  return typeof found === 'string' ? undefined : planForData(path, found.data, system);
}

const newFeed =
  'The feed is made anew: no event is lost, but their order across instances is, and the cursors of streams of all instances and of contacts are refused.';

async function planForData(path: string, data: string, system: System): Promise<Plan | undefined> {
  const { files } = system;
  const manifest = await damageOf(() => readManifest(data, files));
  if (manifest !== undefined)
    return {
      finding: manifest,
      action: `Writes a new manifest from the journal and the records that are there. Nothing else is lost, unless files of the journal are missing, too: that cannot be noticed without the manifest. ${newFeed}`,
    };
  let feed: string | undefined;
  const journal = await damageOf(async () => {
    const reader = await openForReading(path, system, () => undefined);
    try {
      const lost = (await reader.damaged()).find(({ where }) => where === data);
      if (lost !== undefined) throw new DamageError(lost.reason);
      feed = await damageOf(() => reader.verifyFeed());
    } finally {
      await reader.close();
    }
  });
  if (journal?.startsWith('The index') === true)
    return {
      finding: journal,
      action: 'Rebuilds the index from the records. Nothing is lost.',
    };
  if (journal !== undefined)
    return {
      finding: journal,
      action: `Continues without these writes. What was stored in them and not yet in the files of its record is lost: records return to their last state before it, new records are gone, and deleted records can be there again. Records that changed afterwards are set aside as damaged. ${newFeed}`,
    };
  if (feed === undefined) return undefined;
  return { finding: `The feed in ${data} is damaged: ${feed}`, action: newFeed };
}

/** The sentence that says what is damaged; undefined when nothing is. */
async function damageOf(read: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (error instanceof DamageError) return error.message;
    if (error instanceof StoreError && error.code === 'store/damaged') return error.message;
    throw error;
  }
}
