import { Low } from 'lowdb';
import { join } from 'node:path';
import { DamageError } from '../damage-error.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { StoreError } from '../errors.ts';
import { CheckedFile, readThrough } from './checked-file.ts';

/** A file of the journal. */
export interface JournalFile {
  readonly name: string;
  /** The number of the last write before its first one. */
  readonly after: number;
  /** Where it ends; absent while it is written to, and after the death of its owner. */
  readonly end?: { readonly number: number; readonly bytes: number };
}

/** The files of the feed. */
export interface FeedFiles {
  /** Identifies the feed. */
  readonly name: string;
  /** The number of the last write that was moved from the journal into the files. */
  readonly last: number;
  /** Oldest first. A file is never changed: a short one is replaced by a longer one. */
  readonly files: readonly FeedFile[];
}

export interface FeedFile {
  readonly file: string;
  readonly sum: string;
  /** The position of its last entry. */
  readonly last: number;
  readonly count: number;
}

/** Which files the store consists of. What is missing or was replaced by an older copy is noticed. */
export interface ManifestContent {
  /** Counts the openings of the store. Each owner writes to files of its own epoch. */
  readonly epoch: number;
  /** False while the store is open, and after the death of its owner. */
  readonly isClosed: boolean;
  /** The files of the journal, oldest first. */
  readonly journals: readonly JournalFile[];
  /** The number of the last write before the journal. */
  readonly folded: number;
  /** The index of the records as they were when the journal was folded. */
  readonly index: { readonly file: string; readonly sum: string; readonly records: number };
  readonly feed: FeedFiles;
}

export const manifestName = 'manifest.json';

/** The manifest of a new store. */
export function emptyManifest(feed: string): ManifestContent {
  return {
    epoch: 0,
    isClosed: true,
    journals: [],
    folded: 0,
    index: { file: '', sum: '', records: 0 },
    feed: { name: feed, last: 0, files: [] },
  };
}

/** The file `manifest.json`. Owns its content, and replaces it one time after another. */
export class Manifest {
  readonly #low: Low<ManifestContent>;
  #last: Promise<void> = Promise.resolve();

  /** @param draft names a new path for an incomplete file */
  constructor(folder: string, files: FileSystem, draft: () => string, content: ManifestContent) {
    const file = new CheckedFile<ManifestContent>(join(folder, manifestName), files, draft);
    this.#low = new Low<ManifestContent>(file, content);
  }

  get content(): ManifestContent {
    return this.#low.data;
  }

  /** Changes the content once the device has it. */
  change(update: (content: ManifestContent) => ManifestContent): Promise<void> {
    const changed = this.#last.then(async () => {
      const content = update(this.#low.data);
      await this.#low.adapter.write(content);
      this.#low.data = content;
    });
    this.#last = changed.catch(() => undefined);
    return changed;
  }
}

/**
 * Reads the manifest of a data folder.
 *
 * @throws `store/damaged`
 */
export async function readManifest(folder: string, files: FileSystem): Promise<ManifestContent> {
  const file = new CheckedFile<ManifestContent>(join(folder, manifestName), files, () => '');
  const refuse = (problem: string, cause?: unknown) => {
    const hint =
      'The store cannot be opened without it. Restore a backup, or run "dramaturg repair", which says first what it does.';
    return new StoreError('store/damaged', `${join(folder, manifestName)} ${problem}. ${hint}`, {
      cause,
    });
  };
  try {
    const content = await readThrough(file);
    if (content === null) throw refuse('is missing');
    if (file.sum === undefined) throw refuse('is not a manifest');
    return content;
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    throw refuse('is not a manifest: it differs from what was written', error);
  }
}
