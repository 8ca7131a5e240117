import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { RecordSummary } from '../contract.ts';
import { DamageError } from '../damage-error.ts';
import { type FileSystem, readIfExists } from '../disk/file-system.ts';
import { replaceFile } from '../disk/replace-file.ts';
import type { Scheduler } from '../disk/system.ts';
import { sliceLength } from '../slices.ts';
import type { ManifestContent } from './manifest.ts';

/** What the index knows of a record. */
export interface IndexedRecord {
  readonly summary: RecordSummary;
  readonly letters: boolean;
  /** The number of the last write that the summary includes. */
  readonly through: number;
  /** The number of the last write that `record.json` includes at least. */
  readonly folded: number;
  /** The number of the write that created the record. */
  readonly firstWrite: number;
}

/**
 * Writes an index file: one line for each record, so that the store opens without reading the records. Entries are read from
 * their source slice by slice.
 */
export async function writeIndex(
  { folder, name, draft }: { readonly folder: string; readonly name: string; draft: string },
  files: FileSystem,
  scheduler: Pick<Scheduler, 'yield'>,
  entries: Iterable<IndexedRecord>,
): Promise<ManifestContent['index'] & { readonly bytes: number }> {
  let [sum, records, bytes] = [0, 0, 0];
  async function* content(): AsyncGenerator<Buffer> {
    let slice: string[] = [];
    const take = () => {
      const part = Buffer.from(slice.join(''));
      slice = [];
      sum = crc32(part, sum);
      bytes += part.length;
      return part;
    };
    for (const entry of entries) {
      slice.push(`${JSON.stringify(entry)}\n`);
      records += 1;
      if (slice.length < sliceLength) continue;
      yield take();
      await scheduler.yield();
    }
    yield take();
  }
  await replaceFile(files, draft, join(folder, name), content());
  return { file: name, sum: hex(sum), records, bytes };
}

/** @throws `DamageError` */
export async function readIndex(
  folder: string,
  { file, sum, records }: ManifestContent['index'],
  files: FileSystem,
  scheduler: Pick<Scheduler, 'yield'>,
): Promise<{ readonly entries: readonly IndexedRecord[]; readonly bytes: number }> {
  if (file === '') return { entries: [], bytes: 0 };
  const bytes = await readIfExists(join(folder, file), files);
  if (bytes === undefined) throw new DamageError(`The file ${file} is missing.`);
  if (hex(crc32(bytes)) !== sum)
    throw new DamageError(`The file ${file} differs from what was written.`);
  const entries: IndexedRecord[] = [];
  for (let offset = 0; offset < bytes.length;) {
    const end = bytes.indexOf(10, offset);
    entries.push(JSON.parse(bytes.toString('utf8', offset, end)));
    offset = end + 1;
    if (entries.length % sliceLength === 0) await scheduler.yield();
  }
  if (entries.length !== records)
    throw new DamageError(`The file ${file} has ${entries.length} records instead of ${records}.`);
  return { entries, bytes: bytes.length };
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}
