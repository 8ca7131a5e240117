import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { visible } from '@dramaturg/compiler';
import {
  type FsyncMode,
  lowdbStore,
  sqliteStore,
  type StoreError,
  type StorePlace,
} from '@dramaturg/host';
import { statusOf } from '../../files.ts';
import { UsageError } from '../../usage-error.ts';

/** The kinds of store that the command knows, each with the file by which a folder shows that it is one. */
const marks = { lowdb: 'store.json', sqlite: 'store.sqlite' } as const;

export type StoreKind = keyof typeof marks;
export const storeKinds = Object.keys(marks) as StoreKind[];

export interface PlaceOptions {
  /** Of a store that does not exist yet; of one that does it has to be what is there. */
  readonly kind?: StoreKind | undefined;
  readonly fsync?: FsyncMode | undefined;
  readonly onError?: (error: StoreError) => void;
}

/** The store in a folder, of the kind that is there; lowdb in a new one. */
export async function openPlace(folder: string, options: PlaceOptions): Promise<StorePlace> {
  const { kind: wanted, fsync, onError } = options;
  const found = await kindIn(folder);
  if (found !== undefined && wanted !== undefined && found !== wanted) {
    throw new UsageError(
      `"${visible(folder)}" is a store of the kind ${found}, and not ${wanted}.`,
      'Leave out --store: the kind of a store that exists is found by itself.',
    );
  }
  const settings = { ...(fsync ? { fsync } : {}), ...(onError ? { onError } : {}) };
  return (found ?? wanted) === 'sqlite'
    ? sqliteStore(join(folder, marks.sqlite), settings)
    : lowdbStore(folder, settings);
}

/** Of commands that look for something in a store: they never make one. */
export async function requireStore(folder: string): Promise<void> {
  if ((await kindIn(folder)) !== undefined) return;
  const name = `"${visible(folder)}"`;
  const exists = (await statusOf(folder)) !== undefined;
  throw new UsageError(
    exists ? `The folder ${name} is not a store.` : `There is no store ${name}.`,
    `Check the name and the current folder; "dramaturg start ${visible(folder)} <definition>" makes a store.`,
  );
}

/** @returns undefined where there is no store yet */
async function kindIn(folder: string): Promise<StoreKind | undefined> {
  const status = await statusOf(folder);
  if (status === undefined) return undefined;
  if (!status.isDirectory()) {
    throw new UsageError(
      `"${visible(folder)}" is a file, and a store is a folder.`,
      'Name the folder of the store first, and then the definition or the id.',
    );
  }
  const names = new Set(await readdir(folder));
  return storeKinds.find((kind) => names.has(marks[kind]));
}
