import { join } from 'node:path';
import type { DamagedRecord, Verification } from '../contract.ts';
import { StoreError } from '../errors.ts';
import { folderNameOf } from './folder-name.ts';
import { readIndex } from './index-file.ts';
import { isMarkerIntact } from './layout.ts';
import { readSegment } from './log/segment.ts';
import { readManifest } from './manifest.ts';
import type { LowdbReaderParts } from './reader-parts.ts';
import { RecordFolder } from './record-folder.ts';
import { toDamageError } from './to-damage-error.ts';

/** @param exclusive runs a job while no file of a record changes */
export async function verifyStore(
  parts: LowdbReaderParts,
  exclusive: <Value>(job: () => Promise<Value>) => Promise<Value>,
  onProgress: (done: number, all: number) => void = () => undefined,
): Promise<Verification> {
  const found: DamagedRecord[] = [...(await exclusive(() => damagedStoreFiles(parts)))];
  const { index, damaged } = parts;
  const ids = Array.from(index.ids());
  let [records, lines] = [0, 0];
  for (const [count, id] of ids.entries()) {
    const verified = await exclusive(() => verifyRecord(parts, id));
    if (typeof verified === 'number') {
      records += 1;
      lines += verified;
    } else if (verified !== undefined) found.push(verified);
    if (count % progressStep === 0) {
      onProgress(count, ids.length);
      await parts.scheduler.yield();
    }
  }
  onProgress(ids.length, ids.length);
  return { records, lines, damaged: [...damaged.all(), ...found] };
}

const progressStep = 64;

/** @returns the number of lines; the damage; undefined when the record was deleted */
async function verifyRecord(
  { data, index, folderParts }: LowdbReaderParts,
  id: string,
): Promise<number | DamagedRecord | undefined> {
  const where = join(data, 'records', folderNameOf(id));
  try {
    if (!index.has(id)) return undefined;
    const folder = new RecordFolder(id, where, folderParts);
    await folder.load();
    return folder.held === undefined ? undefined : await folder.verifyLines();
  } catch (error) {
    const damage = toDamageError(error);
    if (damage === undefined) throw error;
    // It may have been deleted or set aside while it was read.
    return index.has(id) ? { id, reason: damage.message, where } : undefined;
  }
}

/** The damage of the files that belong to no single record. */
async function damagedStoreFiles({
  path,
  data,
  files,
  scheduler,
  manifest,
  log,
  feed,
}: LowdbReaderParts): Promise<readonly DamagedRecord[]> {
  const found: DamagedRecord[] = [];
  const add = (reason: string, where: string) => found.push({ reason, where });
  if (!(await isMarkerIntact(path, files)))
    add('The file store.json differs from what was written.', path);
  const check = async (where: string, read: () => Promise<unknown>) => {
    try {
      await read();
    } catch (error) {
      const isDamage = error instanceof StoreError && error.code === 'store/damaged';
      const damage = isDamage ? error : toDamageError(error);
      if (damage === undefined) throw error;
      add(damage.message, where);
    }
  };
  await check(data, () => readManifest(data, files));
  await check(join(data, manifest.content.index.name), () =>
    readIndex(data, files, manifest.content, scheduler),
  );
  await check(join(data, manifest.content.feed.file), () => feed.verify());
  for (const info of log.content) {
    const where = join(data, 'log', info.name);
    const bytes = (await files.stat(where)) && (await files.readFile(where));
    if (bytes === undefined) add('The file is missing.', where);
    else
      for (const { first, count } of (await readSegment(bytes, info, scheduler)).lost)
        add(`${count} writes cannot be read, from number ${first} on.`, where);
  }
  return found;
}
