import { join } from 'node:path';
import { DamageError } from '../damage-error.ts';
import { type FileSystem, listIfExists } from '../disk/file-system.ts';
import type { System } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import { checkNotOwned } from '../owner/lock-file.ts';
import { OwnerLock } from '../owner/owner-lock.ts';
import type { RepairStep } from '../repair-step.ts';
import { readIndex } from './index-file.ts';
import {
  finishCreation,
  inspect,
  lockName,
  lostPartOf,
  startCreation,
  writeMarker,
} from './layout.ts';
import { Manifest, type ManifestContent, readManifest, writeManifest } from './manifest.ts';
import { openForWriting, type WritingOptions } from './open-for-writing.ts';
import { lostIndex, manifestFromFiles } from './rebuilt-manifest.ts';
import { FeedFile, lostFeed } from './feed-file.ts';

const owner = 'a repair';

type Plan = Pick<RepairStep, 'finding' | 'action'> & {
  /** Makes it possible to open the store. To be called by its owner. */
  readonly prepare: () => Promise<void>;
  /** Whether the store is opened once afterwards, which rebuilds its index. */
  readonly rebuildsIndex: boolean;
};

/**
 * Plans the step with which a store can be opened that lacks `store.json`, its data folder, its manifest or files of its
 * log, or whose index has to be rebuilt. Nothing is changed until the step is applied.
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

/** Makes the plan again as the owner of the store, and does it. */
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
    await plan.prepare();
  } finally {
    await lock.release();
  }
  if (!plan.rebuildsIndex) return;
  const store = await openForWriting(path, owner, options);
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
      rebuildsIndex: false,
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
      rebuildsIndex: false,
    };
  const found = await inspect(path, files);
  return typeof found === 'string' ? undefined : planForData(found.data, system);
}

async function planForData(data: string, system: System): Promise<Plan | undefined> {
  const { files, scheduler } = system;
  const write = async (content: ManifestContent) =>
    writeManifest(data, files, system.randomId(), content);
  let content: ManifestContent;
  try {
    content = await readManifest(data, files);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'store/damaged') throw error;
    return {
      finding: error.message,
      action:
        'Writes a new manifest from the log and the records that are there. Nothing else is lost, unless files of the log are missing, too: that cannot be noticed without the manifest.',
      prepare: async () => write(await manifestFromFiles(data, files, scheduler)),
      rebuildsIndex: true,
    };
  }
  const missing = await missingSegments(data, content, files);
  if (missing.length > 0) {
    return {
      finding: `Files of the log are missing: ${missing.join(', ')} in ${join(data, 'log')}.`,
      action:
        'Goes on without these files. What was stored in them and not yet in the files of its record is lost: records return to their last state before it, new records are gone, and deleted records can be there again. Records that changed afterwards are set aside as damaged.',
      prepare: () => write(withoutSegments(content, missing)),
      rebuildsIndex: true,
    };
  }
  try {
    await readIndex(data, files, content, scheduler);
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    return {
      finding: `The index in ${data} is damaged: ${error.message}`,
      action: 'Rebuilds the index from the records. Nothing is lost.',
      prepare: () => write({ ...content, index: lostIndex }),
      rebuildsIndex: true,
    };
  }
  try {
    const manifest = new Manifest(data, files, () => system.randomId(), content);
    const feedFile = new FeedFile({ folder: data, files, manifest, scheduler });
    for await (const _ of feedFile.after(content.feed, 0));
    return undefined;
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    return {
      finding: `The feed in ${data} is damaged: ${error.message}`,
      action:
        'Makes a new feed from the records. No event is lost, but their order across instances is, and the cursors of streams of all instances and of contacts are refused.',
      prepare: () => write({ ...content, feed: lostFeed }),
      rebuildsIndex: true,
    };
  }
}

async function missingSegments(
  data: string,
  { segments }: ManifestContent,
  files: FileSystem,
): Promise<string[]> {
  const names = new Set(await listIfExists(join(data, 'log'), files));
  return segments.map(({ name }) => name).filter((name) => !names.has(name));
}

/** The files of records can include writes of the lost segments, so the index is rebuilt from them. */
function withoutSegments(content: ManifestContent, missing: readonly string[]): ManifestContent {
  const segments = content.segments.filter(({ name }) => !missing.includes(name));
  return { ...content, segments, index: lostIndex, feed: lostFeed };
}
