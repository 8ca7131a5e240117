import { dirname, join } from 'node:path';
import { listIfExists } from '../disk/file-system.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import { checkIsNew, checkOutside } from '../own-path.ts';
import { finishCreation, makeDataFolders, startCreation, newFolderName } from './layout.ts';
import type { StoreReader } from '../contract.ts';
import type { LowdbReaderParts } from './reader-parts.ts';

const concurrencyMax = 16;

/**
 * Copies a store as it is at one instant: the journal up to its last write, and the files of records, which folding does
 * not change while they are copied.
 *
 * @param exclusive runs a job while no file of a record changes
 * @throws `store/exists`; `store/bad-request` when the target is in the store; `store/damaged` when the copy has damage that the store does not have
 */
export async function backUp(
  parts: LowdbReaderParts & { readonly openCopy: (path: string) => Promise<StoreReader> },
  target: string,
  exclusive: <Value>(job: () => Promise<Value>) => Promise<Value>,
): Promise<void> {
  const { path, files } = parts;
  checkOutside(path, target);
  await checkIsNew(target, files);
  try {
    await exclusive(() => copy(parts, target));
    const reader = await parts.openCopy(target);
    const known = parts.damaged.all();
    const { damaged } = await reader.verify();
    await reader.close();
    if (damaged.length > known.length)
      throw new StoreError('store/damaged', `The copy is damaged: ${damaged.at(-1)!.reason}`);
  } catch (error) {
    await files.remove(target);
    throw error;
  }
}

async function copy(parts: LowdbReaderParts, target: string): Promise<void> {
  const { data, files, journal, manifest } = parts;
  const journals = journal.content;
  const content = { ...manifest.content, journals, isClosed: true };
  await startCreation(target, files);
  const folder = join(target, newFolderName);
  await makeDataFolders(folder, files);
  const copyOne = (name: string, bytes?: number) =>
    copyFile(parts, join(data, name), join(folder, name), bytes);
  for (const { name, end } of journals) await copyOne(name, end!.bytes);
  for (const name of [content.index.file, ...content.feed.files.map(({ file }) => file)])
    if (name !== '') await copyOne(name);
  for (const kind of ['records', 'damaged']) {
    const names = (await files.list(join(data, kind))).values();
    const copyInTurn = async () => {
      for (const name of names)
        await copyFolder(parts, join(data, kind, name), join(folder, kind, name));
    };
    await Promise.all(Array.from({ length: concurrencyMax }, copyInTurn));
    await files.flushFolder(join(folder, kind));
  }
  await finishCreation(target, files, () => 'draft', content);
  await files.flushFolder(dirname(target));
}

type Surroundings = Pick<LowdbReaderParts, 'files' | 'scheduler'>;

async function copyFolder(parts: Surroundings, path: string, target: string): Promise<void> {
  const { files } = parts;
  await files.makeFolder(target);
  for (const name of await listIfExists(path, files)) {
    try {
      await copyFile(parts, join(path, name), join(target, name));
    } catch (error) {
      // The record was found damaged and is being set aside. The copy finds that, too.
      if (systemCodeOf(error) !== 'ENOENT') throw error;
    }
  }
  await files.flushFolder(target);
}

const chunkBytes = 1 << 20;

/** @param bytes the number of bytes to copy; the whole file by default */
async function copyFile(
  { files, scheduler }: Surroundings,
  path: string,
  target: string,
  bytes?: number,
): Promise<void> {
  const source = await files.open(path, 'read');
  try {
    const copied = await files.open(target, 'new');
    try {
      const size = bytes ?? (await source.size());
      for (let offset = 0; offset < size; offset += chunkBytes) {
        if (offset > 0) await scheduler.yield();
        await copied.write(await source.read(offset, Math.min(chunkBytes, size - offset)), offset);
      }
      await copied.flush();
    } finally {
      await copied.close();
    }
  } finally {
    await source.close();
  }
}
