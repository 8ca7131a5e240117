import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { visible } from '@dramaturg/compiler/text';
import {
  type FsyncMode,
  lowdbStore,
  sqliteStore,
  type StoreError,
  type StoreLocation,
} from '@dramaturg/host';
import type { StandbyOptions } from '@dramaturg/postgres';
import { statusOf } from '../../files.ts';
import { exitCodes, UsageError } from '../../usage-error.ts';
import { restateAt } from '../restate/location.ts';
import { databaseName, hasEnding, placeOf, serviceAt } from './store-place.ts';

/** The kinds of store in a folder, each with the file that identifies it. */
const storeFiles = { lowdb: 'store.json', sqlite: databaseName } as const;

/** The kinds of store that a command can create in a folder. */
export type StoreKind = keyof typeof storeFiles;
export const storeKinds = Object.keys(storeFiles) as StoreKind[];

export interface StoreOptions {
  /** The kind of a new store. For an existing store it must match. */
  readonly kind?: StoreKind | undefined;
  readonly fsync?: FsyncMode | undefined;
  readonly onError?: (error: StoreError) => void;
  /** How to wait for a store in Postgres that another host owns. */
  readonly standby?: StandbyOptions | undefined;
  /** Lets commands read a store in Postgres while a host on another machine runs it. */
  readonly readWhileOwned?: boolean;
}

/** The store that the argument <store> of a command names. In a folder, it has the existing kind, else the wanted kind, else lowdb. */
export async function storeAt(store: string, options: StoreOptions): Promise<StoreLocation> {
  const { kind: wanted, fsync, onError, standby, readWhileOwned = false } = options;
  const place = placeOf(store);
  if (standby && place.kind !== 'postgres') {
    throw new UsageError(
      `"${visible(store)}" cannot have a standby: only a store in Postgres can.`,
      'Leave out --standby, or name a store that begins with postgres://.',
    );
  }
  const found = (await kindAt(store)) ?? (place.kind === 'file' ? 'sqlite' : undefined);
  if (found !== undefined && wanted !== undefined && found !== wanted) {
    throw new UsageError(
      `"${visible(store)}" is a store of the kind "${found}", not "${wanted}".`,
      'Leave out --store: the kind of an existing store is detected, and only a new folder can be of any kind.',
    );
  }
  const settings = { ...(fsync ? { fsync } : {}), ...(onError ? { onError } : {}) };
  switch (place.kind) {
    case 'postgres': {
      // Loaded here because most commands do not need it.
      const { postgresStore } = await import('@dramaturg/postgres');
      return postgresStore(place.url, {
        readWhileOwned,
        ...(onError && { onError }),
        ...(standby && { standby }),
      });
    }
    case 'file':
      return sqliteStore(place.path, settings);
    case 'folder':
      return (found ?? wanted) === 'sqlite'
        ? sqliteStore(join(place.path, databaseName), settings)
        : lowdbStore(place.path, settings);
  }
}

/** Whether a command accepts this as its store. Addresses of Restate and of services are only checked when they are called. */
export async function isStore(store: string): Promise<boolean> {
  return Boolean(restateAt(store) ?? serviceAt(store)) || (await kindAt(store)) !== undefined;
}

/**
 * @throws UsageError when nothing is there, or something that is not a store
 */
export async function requireStore(store: string): Promise<void> {
  if (await isStore(store)) return;
  const name = `"${visible(store)}"`;
  const exists = (await statusOf(store)) !== undefined;
  const inside = exists ? await storesInside(store) : [];
  throw new UsageError(
    exists ? `The folder ${name} is not a store.` : `There is no store ${name}.`,
    inside.length > 0
      ? `It has a sqlite store: name its file "${visible(inside[0]!)}".`
      : `Check the name and the current folder. "dramaturg start ${visible(store)} <definition>" creates a store.`,
    exitCodes.usage,
    'store/missing',
  );
}

/**
 * The kind of a store; undefined where there is no store yet. Does not connect to Postgres.
 *
 * @throws UsageError when a file is not a store
 */
export async function kindAt(store: string): Promise<StoreKind | 'postgres' | undefined> {
  const place = placeOf(store);
  switch (place.kind) {
    case 'postgres':
      return 'postgres';
    case 'folder':
      return (await statusOf(place.path)) && kindIn(place.path);
    case 'file':
      return kindOfFile(place.path, store);
  }
}

async function kindOfFile(path: string, store: string): Promise<'sqlite' | undefined> {
  const status = await statusOf(path);
  // The remains of a store that has lost its file. Opening the store reports that.
  if (status === undefined)
    return (await statusOf(`${path}-wal`)) || (await statusOf(`${path}.lock`))
      ? 'sqlite'
      : undefined;
  if (status.isFile() && (status.size === 0 || (await isDatabase(path)))) return 'sqlite';
  throw new UsageError(
    `"${visible(store)}" is not a store, but ${status.isFile() ? 'another file' : 'a folder'}.`,
    'Name the folder or the SQLite file of the store first, then the definition or the id.',
    exitCodes.usage,
    'store/missing',
  );
}

async function kindIn(folder: string): Promise<StoreKind | undefined> {
  const names = await readdir(folder);
  const kind = storeKinds.find((each) => names.includes(storeFiles[each]));
  if (kind !== undefined) return kind;
  // A lowdb store that has lost its `store.json`: the command "repair" writes it again.
  const data = names.find((name) => /^data(-\d+)?$/.test(name));
  if (data === undefined || !(await statusOf(join(folder, data)))?.isDirectory()) return undefined;
  const parts = await readdir(join(folder, data));
  return parts.includes('records') ? 'lowdb' : undefined;
}

/** The files of sqlite stores that a program has put into a folder. */
async function storesInside(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const path = join(folder, name);
    if (hasEnding(name) && (await isDatabase(path))) found.push(path);
  }
  return found;
}

/** The first bytes of every SQLite file. Opening the store checks whether it is a store. */
const sqliteHeader = 'SQLite format 3\0';

async function isDatabase(path: string): Promise<boolean> {
  if (!(await statusOf(path))?.isFile()) return false;
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sqliteHeader.length), 0);
    return buffer.toString('latin1', 0, bytesRead) === sqliteHeader;
  } finally {
    await file.close();
  }
}
