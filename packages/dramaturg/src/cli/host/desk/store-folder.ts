import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { visible } from '@dramaturg/compiler';
import {
  type FsyncMode,
  lowdbStore,
  sqliteStore,
  type StoreError,
  type StoreLocation,
} from '@dramaturg/host';
import { statusOf } from '../../files.ts';
import { exitCodes, UsageError } from '../../usage-error.ts';
import { restateAt } from '../restate/location.ts';

/** The kinds of store, each with the file that identifies its folder. */
export const storeFiles = { lowdb: 'store.json', sqlite: 'store.sqlite' } as const;

export type StoreKind = keyof typeof storeFiles;
export const storeKinds = Object.keys(storeFiles) as StoreKind[];

export interface StoreFolderOptions {
  /** The kind of a new store. For an existing store it must match. */
  readonly kind?: StoreKind | undefined;
  readonly fsync?: FsyncMode | undefined;
  readonly onError?: (error: StoreError) => void;
}

/** The store in a folder: of the kind that is there, else of the wanted kind, else lowdb. */
export async function storeIn(folder: string, options: StoreFolderOptions): Promise<StoreLocation> {
  requireFolderOf(folder);
  const { kind: wanted, fsync, onError } = options;
  const found = await kindIn(folder);
  if (found !== undefined && wanted !== undefined && found !== wanted) {
    throw new UsageError(
      `"${visible(folder)}" is a store of the kind "${found}", not "${wanted}".`,
      'Leave out --store: the kind of an existing store is detected.',
    );
  }
  const settings = { ...(fsync ? { fsync } : {}), ...(onError ? { onError } : {}) };
  return (found ?? wanted) === 'sqlite'
    ? sqliteStore(join(folder, storeFiles.sqlite), settings)
    : lowdbStore(folder, settings);
}

/** Throws if the folder is not a store. Whether there is a Restate at an address shows when it is called. */
export async function requireStore(folder: string): Promise<void> {
  if (restateAt(folder)) return;
  if ((await kindIn(folder)) !== undefined) return;
  const name = `"${visible(folder)}"`;
  const exists = (await statusOf(folder)) !== undefined;
  throw new UsageError(
    exists ? `The folder ${name} is not a store.` : `There is no store ${name}.`,
    `Check the name and the current folder. "dramaturg start ${visible(folder)} <definition>" creates a store.`,
    exitCodes.usage,
    'store/missing',
  );
}

/** @throws UsageError for the address of Restate, which has no files that a command could open */
function requireFolderOf(store: string): void {
  if (!restateAt(store)) return;
  throw new UsageError(
    'This command works on the files of a store, and Restate keeps its data itself.',
    'Back up and check the data of its nodes as Restate documents it, and name the folder of a store here.',
    exitCodes.usage,
    'store/bad-request',
  );
}

/** @returns undefined where there is no store yet */
export async function kindIn(folder: string): Promise<StoreKind | undefined> {
  requireFolderOf(folder);
  const status = await statusOf(folder);
  if (status === undefined) return undefined;
  if (!status.isDirectory()) {
    throw new UsageError(
      `"${visible(folder)}" is a file, but a store is a folder.`,
      'Name the folder of the store first, then the definition or the id.',
      exitCodes.usage,
      'store/missing',
    );
  }
  const names = await readdir(folder);
  const kind = storeKinds.find((each) => names.includes(storeFiles[each]));
  if (kind !== undefined) return kind;
  // A lowdb store that has lost its `store.json`: the command "repair" writes it again.
  const data = names.find((name) => /^data(-\d+)?$/.test(name));
  if (data === undefined || !(await statusOf(join(folder, data)))?.isDirectory()) return undefined;
  const parts = await readdir(join(folder, data));
  return ['log', 'records'].every((name) => parts.includes(name)) ? 'lowdb' : undefined;
}
