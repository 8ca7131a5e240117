import { join } from 'node:path';
import { RecordIndex } from '../index/record-index.ts';
import { DamagedFolder } from './damaged-folder.ts';
import { Feed } from './feed.ts';
import { Log } from './log/log.ts';
import type { LogOptions } from './log/log-options.ts';
import type { LowdbReaderParts } from './reader-parts.ts';
import type { RecordFolderParts } from './record-folder.ts';
import type { Recovered } from './recovery.ts';

type Given = Pick<
  LowdbReaderParts,
  'path' | 'data' | 'files' | 'scheduler' | 'manifest' | 'onError'
> &
  Pick<LogOptions, 'fsync' | 'segmentSize' | 'owner'> &
  Pick<RecordFolderParts, 'draft'>;

/** Creates the parts of an open store from what its files contain. */
export async function createParts(
  { fsync, segmentSize, owner, draft, ...given }: Given,
  { records, places, segments, position }: Recovered,
): Promise<LowdbReaderParts> {
  const { data, files, scheduler, manifest, onError } = given;
  const damaged = new DamagedFolder(data, files, draft);
  await damaged.load();
  const index = new RecordIndex();
  await index.putAll(records.values(), scheduler);
  const folder = join(data, 'log');
  const log = new Log(
    {
      folder,
      files,
      scheduler,
      manifest,
      places,
      fsync,
      segmentSize,
      owner,
      onError,
    },
    segments,
    position,
  );
  const feed = new Feed({ folder: data, files, manifest, scheduler, log, places, index, damaged });
  const { epoch, fence } = manifest.content;
  const folderParts = { files, scheduler, log, places, epoch, fence, draft };
  return { ...given, log, places, index, damaged, feed, folderParts };
}
