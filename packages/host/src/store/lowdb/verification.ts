import { join } from 'node:path';
import type { DamagedRecord, Verification } from '../contract.ts';
import { DamageError } from '../damage-error.ts';
import { StoreError } from '../errors.ts';
import { folderNameOf } from './folder-name.ts';
import { readIndex } from './index-file.ts';
import { isMarkerIntact } from './layout.ts';
import { readableLines } from './journal.ts';
import { readManifest } from './manifest.ts';
import type { LowdbReaderParts } from './reader-parts.ts';
import type { LowdbRecord } from './record.ts';
import { toDamageError } from './to-damage-error.ts';

/**
 * @param create makes a record that has not read its files
 * @param exclusive runs a job while no file of a record changes
 */
export async function verifyStore(
  parts: LowdbReaderParts,
  create: (id: string) => LowdbRecord,
  exclusive: <Value>(job: () => Promise<Value>) => Promise<Value>,
  onProgress: (done: number, all: number) => void = () => undefined,
): Promise<Verification> {
  const found: DamagedRecord[] = [...(await exclusive(() => damagedStoreFiles(parts)))];
  const { index, damaged } = parts;
  const ids = Array.from(index.ids());
  let [records, lines] = [0, 0];
  for (const [count, id] of ids.entries()) {
    const verified = await exclusive(() => verifyRecord(parts, id, create(id)));
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
  { data, index }: LowdbReaderParts,
  id: string,
  record: LowdbRecord,
): Promise<number | DamagedRecord | undefined> {
  try {
    return await record.run((each) => each.state && each.verifyLines());
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    // It may have been deleted or set aside while it was read.
    if (!index.has(id)) return undefined;
    return { id, reason: error.message, where: join(data, 'records', folderNameOf(id)) };
  }
}

/** The damage of the files that belong to no single record. */
async function damagedStoreFiles({
  path,
  data,
  files,
  scheduler,
  manifest,
  journal,
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
  const { index } = manifest.content;
  await check(join(data, index.file), () => readIndex(data, index, files, scheduler));
  await check(data, () => feed.verify());
  for (const info of journal.content) {
    const where = join(data, info.name);
    if ((await files.stat(where)) === undefined) {
      add('The file is missing.', where);
      continue;
    }
    const file = await files.open(where, 'read');
    try {
      const lines = await readableLines({ ...info, file }, scheduler);
      const count = info.end!.number - info.after - lines.length;
      if (count > 0) add(`${count} writes cannot be read.`, where);
    } finally {
      await file.close();
    }
  }
  return found;
}
