import { join } from 'node:path';
import type { FileSystem } from '../disk/file-system.ts';
import { CheckedFile, type Format, readThrough, writeThrough } from './checked-file.ts';

/** What the store consists of. What is missing or was replaced by an older copy is noticed. */
export interface Manifest {
  /** Counts the openings of the store. Each owner writes to a journal of its own epoch. */
  readonly epoch: number;
  /** False while the store is open, and after the death of its owner. */
  readonly isClosed: boolean;
  /** The name of the file of the journal; empty when all writes are in the files of their records. */
  readonly journal: string;
  /** The number of the last write before the journal. */
  readonly folded: number;
  /** Identifies the feed. */
  readonly feed: string;
  /** The number of the last write that the file of each record includes at least, by its id. */
  readonly records: ReadonlyMap<string, number>;
}

/** Marks a folder as a store, with the version of its files. */
export const manifestName = 'store.json';
export const kind = 'dramaturg/lowdb';
export const version = 5;

type ManifestFields = Omit<Manifest, 'records'> & { readonly records: readonly string[] };

const manifestFormat: Format<Manifest> = {
  toText: ({ records, ...fields }) => {
    const entries = Array.from(records, ([id, lastWrite]) => `${lastWrite} ${id}`);
    return JSON.stringify({ store: kind, version, ...fields, records: entries }, null, 2);
  },
  fromFields: (fields) => {
    const { epoch, isClosed, journal, folded, feed, records } = fields as ManifestFields;
    const entries = records.map((entry) => {
      const end = entry.indexOf(' ');
      return [entry.slice(end + 1), Number(entry.slice(0, end))] as const;
    });
    return { epoch, isClosed, journal, folded, feed, records: new Map(entries) };
  },
};

/**
 * @param path the folder of the store
 * @returns undefined when there is no manifest
 * @throws `DamageError`
 */
export function readManifest(path: string, files: FileSystem): Promise<Manifest | undefined> {
  return readThrough(new CheckedFile(join(path, manifestName), files, manifestFormat));
}

/** Replaces the manifest. The device has it when the promise fulfils. */
export async function writeManifest(
  path: string,
  files: FileSystem,
  draft: string,
  manifest: Manifest,
): Promise<void> {
  await writeThrough(
    new CheckedFile(join(path, manifestName), files, manifestFormat, draft),
    manifest,
  );
  await files.flushFolder(path);
}
