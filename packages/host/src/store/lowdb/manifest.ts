import { join } from 'node:path';
import { checksum } from '../checksum.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import type { SegmentInfo } from './log/segment.ts';
import type { LogPosition } from './log/line.ts';
import type { LineRanges } from './line-ranges.ts';
import { formatRanges, parseRanges } from './line-ranges.ts';

/** Which files the store consists of. What is missing or was replaced by an older copy is noticed. */
export interface ManifestContent {
  /** Counts the openings of the store. Each owner writes to files of its own epoch. */
  readonly epoch: number;
  /**
   * An owner of this epoch or an earlier one may still be alive, and have files open: it was taken for dead because it
   * stopped renewing its lock. Its files are not written to.
   */
  readonly fence: number;
  /** False while the store is open, and after the death of its owner. */
  readonly isClosed: boolean;
  /** The files of the log, oldest first. */
  readonly segments: readonly SegmentInfo[];
  /** The position behind the last segment that was deleted. */
  readonly compacted: LogPosition;
  /** The index file, and the valid part of it. */
  readonly index: { readonly name: string; readonly ranges: LineRanges };
  /**
   * The feed file, and the valid part of it. `name` identifies the feed, and `last` is the number of the last write that was moved from
   * the log into the file.
   */
  readonly feed: {
    readonly name: string;
    readonly file: string;
    readonly ranges: LineRanges;
    readonly last: number;
  };
  /** The number of records in the index file. */
  readonly records: number;
}

export const manifestName = 'manifest.json';

/** The file `manifest.json`. Owns its content, and replaces it one time after another. */
export class Manifest {
  readonly #folder: string;
  readonly #files: FileSystem;
  readonly #randomId: () => string;
  #content: ManifestContent;
  #last: Promise<void> = Promise.resolve();

  constructor(folder: string, files: FileSystem, randomId: () => string, content: ManifestContent) {
    this.#folder = folder;
    this.#files = files;
    this.#randomId = randomId;
    this.#content = content;
  }

  get content(): ManifestContent {
    return this.#content;
  }

  /** Changes the content once the device has it. */
  change(update: (content: ManifestContent) => ManifestContent): Promise<void> {
    const changed = this.#last.then(async () => {
      const content = update(this.#content);
      await writeManifest(this.#folder, this.#files, this.#randomId(), content);
      this.#content = content;
    });
    this.#last = changed.catch(() => undefined);
    return changed;
  }
}

export async function writeManifest(
  folder: string,
  files: FileSystem,
  randomId: string,
  { index, feed, ...content }: ManifestContent,
): Promise<void> {
  const fields = {
    ...content,
    index: { ...index, ranges: formatRanges(index.ranges) },
    feed: { ...feed, ranges: formatRanges(feed.ranges) },
  };
  const sum = checksum(JSON.stringify(fields));
  const text = `${JSON.stringify({ sum, ...fields }, null, 2)}\n`;
  await replaceFile(files, join(folder, 'temporary', randomId), join(folder, manifestName), [text]);
}

/**
 * Reads the manifest of a data folder.
 *
 * @throws `store/damaged`
 */
export async function readManifest(folder: string, files: FileSystem): Promise<ManifestContent> {
  const path = join(folder, manifestName);
  const hint =
    'The store cannot be opened without it. Restore a backup, or run "dramaturg repair", which says first what it does.';
  let text: string;
  try {
    text = (await files.readFile(path)).toString();
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    throw new StoreError('store/damaged', `${path} is missing. ${hint}`, { cause: error });
  }
  try {
    const { sum, ...fields } = JSON.parse(text);
    // The text as a whole: a changed space is a change, too.
    const written = `${JSON.stringify({ sum, ...fields }, null, 2)}\n`;
    if (sum === checksum(JSON.stringify(fields)) && text === written)
      return {
        ...fields,
        index: { ...fields.index, ranges: parseRanges(fields.index.ranges) },
        feed: { ...fields.feed, ranges: parseRanges(fields.feed.ranges) },
      };
  } catch (cause) {
    throw new StoreError('store/damaged', `${path} is not a manifest. ${hint}`, { cause });
  }
  throw new StoreError(
    'store/damaged',
    `${path} differs from what was written: the checksum does not match. ${hint}`,
  );
}
