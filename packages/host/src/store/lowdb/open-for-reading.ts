import { join } from 'node:path';
import type { FileSystem } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import { RecordIndex } from '../index/record-index.ts';
import { DamagedFolder } from './damaged-folder.ts';
import { folderNameOf } from './folder-name.ts';
import { inspect } from './layout.ts';
import { Log } from './log/log.ts';
import { Manifest, readManifest } from './manifest.ts';
import { LowdbReader } from './reader.ts';
import { recover } from './recovery.ts';

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
  const damaged = new DamagedFolder(data, files, refuse);
  await damaged.load();
  for (const [id, { message: reason }] of recovered.damaged) {
    const name = folderNameOf(id);
    damaged.note(name, { id, reason, where: join(data, 'records', name) });
  }
  for (const [name, { message: reason }] of recovered.damagedFolders)
    damaged.note(name, { reason, where: join(data, 'records', name) });
  if (recovered.lostWrites > 0) {
    const reason = `${recovered.lostWrites} writes in the log cannot be read, and their records are not known.`;
    damaged.note('..log', { reason, where: join(data, 'log') });
  }
  const index = new RecordIndex();
  index.putAll(recovered.records.values());
  const { places, segments, position } = recovered;
  const log = new Log(
    {
      folder: join(data, 'log'),
      files,
      scheduler,
      manifest,
      places,
      fsync: 'always',
      segmentSize: Infinity,
      confirmOwner: async () => undefined,
      onError,
    },
    segments,
    position,
  );
  log.break(new StoreError('store/read-only', `The store ${path} is open for reading only.`));
  const { epoch, fence } = content;
  const folderParts = { files, log, places, epoch, fence, draft: refuse };
  return new LowdbReader({
    path,
    data,
    files,
    scheduler,
    manifest,
    log,
    places,
    index,
    damaged,
    folderParts,
    onError,
  });
}

function refuse(): never {
  throw new StoreError('store/read-only', 'The store is open for reading only.');
}
