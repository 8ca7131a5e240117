import { join } from 'node:path';
import type { FileSystem } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import type { DamageError } from '../damage-error.ts';
import { createParts } from './create-parts.ts';
import { folderNameOf } from './folder-name.ts';
import { inspect } from './layout.ts';
import { Manifest, readManifest } from './manifest.ts';
import { LowdbReader } from './reader.ts';
import type { LowdbReaderParts } from './reader-parts.ts';
import { recover, type Recovered } from './recovery.ts';

export interface ReadingOptions {
  readonly files: FileSystem;
  readonly scheduler: Scheduler;
  readonly onError: (error: StoreError) => void;
}

/** Opens a store that nobody has open. Writes nothing. */
export async function openForReading(
  path: string,
  { files, scheduler, onError }: ReadingOptions,
): Promise<LowdbReader> {
  const found = await inspect(path, files);
  if (typeof found === 'string')
    throw new StoreError('store/foreign', `There is no store in ${path}.`);
  const { data } = found;
  const content = await readManifest(data, files);
  const recovered = await recover(data, files, content, scheduler);
  // Another owner may open the store and remove segments.
  for (const segment of recovered.segments) await segment.hold();
  const manifest = new Manifest(data, files, refuse, content);
  const parts = await createParts(
    {
      path,
      data,
      files,
      scheduler,
      manifest,
      onError,
      draft: refuse,
      fsync: 'always',
      segmentSize: Infinity,
      owner: { check: async () => undefined, lose: () => undefined },
    },
    recovered,
  );
  noteDamage(recovered, parts);
  const message = `The store ${path} is open for reading only.`;
  parts.log.break(new StoreError('store/read-only', message));
  return new LowdbReader(parts);
}

/** Nothing can be set aside, so everything damaged is noted where it is. */
function noteDamage(
  { damaged, damagedFolders, lostWrites }: Recovered,
  { data, damaged: folder }: LowdbReaderParts,
): void {
  const note = (name: string, { message: reason }: DamageError, id?: string) =>
    folder.note(name, {
      ...(id === undefined ? {} : { id }),
      reason,
      where: join(data, 'records', name),
    });
  for (const [id, damage] of damaged) note(folderNameOf(id), damage, id);
  for (const [name, damage] of damagedFolders) note(name, damage);
  if (lostWrites === 0) return;
  const reason = `${lostWrites} writes in the log cannot be read, and their records are not known.`;
  folder.note('..log', { reason, where: join(data, 'log') });
}

function refuse(): never {
  throw new StoreError('store/read-only', 'The store is open for reading only.');
}
