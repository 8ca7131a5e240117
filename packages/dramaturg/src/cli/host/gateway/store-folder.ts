import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
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

/** The name of the database in a folder that is a sqlite store. */
export const databaseName = 'store.sqlite';

/**
 * The place that the argument <store> of a command names: a folder, the file of a sqlite store at any path, or a schema of a
 * Postgres database.
 */
type StorePlace =
  | { readonly kind: 'folder' | 'file'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/**
 * Reads the argument. A path that exists is a folder or a file; for others, the ending decides.
 *
 * @throws UsageError for an address of Restate, and for one of an unknown kind
 */
export function placeOf(store: string): StorePlace {
  if (restateAt(store)) {
    throw new UsageError(
      'This command works on the files of a store, and Restate keeps its data itself.',
      'Back up and check the data of its nodes as Restate documents it, and name another store here.',
      exitCodes.usage,
      'store/bad-request',
    );
  }
  if (/^postgres(ql)?:\/\//i.test(store)) return { kind: 'postgres', url: store };
  if (serviceAt(store)) {
    throw new UsageError(
      'This command works on the files of a store, and the address is that of a service.',
      'Run it where the store is, and name the store.',
      exitCodes.usage,
      'store/bad-request',
    );
  }
  const scheme = /^([a-z][a-z+.-]+):\/\//i.exec(store)?.[1];
  if (scheme !== undefined) {
    throw new UsageError(
      `"${visible(store)}" is not a store: there are no stores at addresses of the kind "${scheme}:".`,
      'Name a folder, the file of a sqlite store, or an address that begins with postgres://, http:// or https://.',
    );
  }
  if (store.startsWith('sqlite:')) return { kind: 'file', path: store.slice('sqlite:'.length) };
  const found = statSync(store, { throwIfNoEntry: false });
  // A store can lose its file and keep the write-ahead log.
  const isFile = found ? !found.isDirectory() : hasEnding(store) || existsSync(`${store}-wal`);
  return { kind: isFile ? 'file' : 'folder', path: store };
}

/** Whether a path has an ending of SQLite files. */
function hasEnding(path: string): boolean {
  return /\.(db|sqlite3?)$/i.test(path);
}

/**
 * The path of a file that belongs to a store: in the folder of the store, next to its file, or in a folder of this user for a
 * store in Postgres.
 */
export function fileBeside(store: string, name: string): string {
  const place = placeOf(store);
  if (place.kind === 'postgres') return join(folderFor(place.url), name);
  if (place.kind === 'folder') return join(place.path, name);
  const path = existsSync(place.path) ? realpathSync(place.path) : place.path;
  return basename(path) === databaseName ? join(dirname(path), name) : `${path}.${name}`;
}

/** A canonical name for people and for comparisons: equal for all arguments that name the same store. */
export function fullNameOf(store: string): string {
  const place = placeOf(store);
  if (place.kind === 'postgres') {
    const url = new URL(place.url);
    url.password = '';
    return url.href;
  }
  const path = resolve(place.path);
  if (existsSync(path)) return realpathSync(path);
  return existsSync(dirname(path)) ? join(realpathSync(dirname(path)), basename(path)) : path;
}

function folderFor(address: string): string {
  const { hostname, port, pathname, searchParams } = new URL(address);
  const parts = [hostname, port || '5432', pathname, searchParams.get('schema')];
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
  const ofUser =
    process.env['XDG_STATE_HOME'] ||
    (process.platform === 'win32' && process.env['LOCALAPPDATA']) ||
    join(homedir(), '.local/state');
  return join(ofUser, 'dramaturg', hash);
}

/** The address of a service, which commands accept in place of a store. */
interface ServiceAddress {
  readonly url: URL;
  readonly token?: string;
}

/**
 * Reads the address of a service. The token is in the variable DRAMATURG_TOKEN: every user of the machine can see the arguments
 * of a process.
 *
 * @param store the argument of a command for its store
 * @returns undefined for a store
 */
export function serviceAt(store: string): ServiceAddress | undefined {
  if (!/^https?:\/\//i.test(store)) return undefined;
  const url = URL.canParse(store) ? new URL(store) : undefined;
  if (!url) {
    throw new UsageError(
      `"${withoutSecrets(store)}" is not a URL of a service.`,
      'Write it with its protocol and port, such as: http://localhost:8080',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      'The address of the service has a password.',
      'Leave it out, and put a token into the variable DRAMATURG_TOKEN.',
    );
  }
  const token = process.env['DRAMATURG_TOKEN'];
  return { url, ...(token ? { token } : {}) };
}

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
