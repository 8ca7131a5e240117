import { join } from 'node:path';
import { DamageError } from '../damage-error.ts';
import type { FileSystem } from '../disk/file-system.ts';
import type { System } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import { checkNotOwned } from '../owner/lock-file.ts';
import { OwnerLock } from '../owner/owner-lock.ts';
import type { RepairStep } from '../repair-step.ts';
import { readIndex } from './index-file.ts';
import { inspect, lockName } from './layout.ts';
import { type ManifestContent, readManifest, writeManifest } from './manifest.ts';
import { openForWriting, type WritingOptions } from './open-for-writing.ts';
import { lostIndex, manifestFromFiles } from './rebuilt-manifest.ts';

const owner = 'a repair';

type Plan = Pick<RepairStep, 'finding' | 'action'> & {
  /** Creates the manifest with which the store can be opened. */
  readonly manifest: () => Promise<ManifestContent>;
};

/**
 * Plans the step with which a store can be opened that lacks its manifest or files of its log, or whose index has to be
 * rebuilt. Nothing is changed until the step is applied.
 *
 * @throws `store/owned`; `store/damaged` when `store.json` or the data folder is missing
 */
export async function planLowdbRepairs(
  path: string,
  options: WritingOptions,
): Promise<readonly RepairStep[]> {
  const { system } = options;
  await checkNotOwned(join(path, lockName), system);
  const found = await inspect(path, system.files);
  if (typeof found === 'string') return [];
  const plan = await planFor(found.data, system);
  if (plan === undefined) return [];
  const { finding, action } = plan;
  return [{ finding, action, apply: () => repair(path, finding, options) }];
}

/** Makes the plan again as the owner of the store, does it, and opens the store once, which rebuilds the index. */
async function repair(path: string, finding: string, options: WritingOptions): Promise<void> {
  const { system, onError } = options;
  const { files } = system;
  const lock = await OwnerLock.acquire(join(path, lockName), owner, {
    system,
    onLoss: onError,
  });
  try {
    const found = await inspect(path, files);
    const plan = typeof found === 'string' ? undefined : await planFor(found.data, system);
    if (typeof found === 'string' || plan?.finding !== finding) {
      const message = `The store ${path} has changed since the repair was planned. Plan it again.`;
      throw new StoreError('store/damaged', message);
    }
    const content = await plan.manifest();
    await lock.confirm();
    await writeManifest(found.data, files, system.randomId(), content);
  } finally {
    await lock.release();
  }
  const store = await openForWriting(path, owner, options);
  await store.close();
}

async function planFor(data: string, { files, scheduler }: System): Promise<Plan | undefined> {
  let content: ManifestContent;
  try {
    content = await readManifest(data, files);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'store/damaged') throw error;
    return {
      finding: error.message,
      action:
        'Writes a new manifest from the log and the records that are there. Nothing else is lost, unless files of the log are missing, too: that cannot be noticed without the manifest.',
      manifest: () => manifestFromFiles(data, files, scheduler),
    };
  }
  const missing = await missingSegments(data, content, files);
  if (missing.length > 0) {
    return {
      finding: `Files of the log are missing: ${missing.join(', ')} in ${join(data, 'log')}.`,
      action:
        'Goes on without these files. What was stored in them and not yet in the files of its record is lost: records return to their last state before it, new records are gone, and deleted records can be there again. Records that changed afterwards are set aside as damaged.',
      manifest: async () => withoutSegments(content, missing),
    };
  }
  try {
    await readIndex(data, files, content, scheduler);
    return undefined;
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    return {
      finding: `The index in ${data} is damaged: ${error.message}`,
      action: 'Rebuilds the index from the records. Nothing is lost.',
      manifest: async () => ({ ...content, index: lostIndex }),
    };
  }
}

async function missingSegments(
  data: string,
  { segments }: ManifestContent,
  files: FileSystem,
): Promise<string[]> {
  const names = new Set(await files.list(join(data, 'log')));
  return segments.map(({ name }) => name).filter((name) => !names.has(name));
}

/** The files of records can include writes of the lost segments, so the index is rebuilt from them. */
function withoutSegments(content: ManifestContent, missing: readonly string[]): ManifestContent {
  const segments = content.segments.filter(({ name }) => !missing.includes(name));
  return { ...content, segments, index: lostIndex };
}
