import { createHash } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { withoutSecrets } from '@dramaturg/compiler/secrets';
import { visible } from '@dramaturg/compiler/text';
import { exitCodes, UsageError } from '../../usage-error.ts';
import { restateAt } from '../restate/location.ts';

/** The name of the database in a folder that is a sqlite store. */
export const databaseName = 'store.sqlite';

/**
 * The place that the argument <store> of a command names: a folder, the file of a sqlite store at any path, or a schema of a
 * Postgres database.
 */
export type StorePlace =
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
export function hasEnding(path: string): boolean {
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
