import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { StoreError, systemCodeOf } from '../errors.ts';

/** Says that a folder is a store, and how its files are to be read. */
const markerName = 'store.json';
const kind = 'dramaturg/lowdb';
const version = 1;

/**
 * Makes the folder unless there is one. Nothing is changed in a folder that is not a store.
 *
 * @throws `store/foreign`
 */
export function prepareFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    if (!['EEXIST', 'ENOTDIR'].includes(systemCodeOf(error) ?? '')) throw error;
    throw new StoreError('store/foreign', `${path} is a file. Name a folder for the store.`, {
      cause: error,
    });
  }
  if (checkMarker(path)) return;
  // What a process may leave that ends while it makes the store.
  const own = (name: string) => name === 'temporary' || name.startsWith('owner.lock');
  const stranger = readdirSync(path).find((name) => !own(name));
  if (stranger === undefined) return;
  throw new StoreError(
    'store/foreign',
    `${path} is not a store: it has "${stranger}" and no ${markerName}. Name an empty folder, or one that does not exist.`,
  );
}

/**
 * Whether the folder says that it is a store.
 *
 * @throws `store/foreign` when it says that it is another
 */
export function checkMarker(path: string): boolean {
  const text = readMarker(path);
  if (text === undefined) return false;
  const found = parseFields(text);
  if (found?.store !== kind) {
    throw new StoreError(
      'store/foreign',
      `${join(path, markerName)} is not of a store of this kind.`,
    );
  }
  if (found.version !== version) {
    throw new StoreError(
      'store/foreign',
      `${path} is a store of version ${String(found.version)}, and this is ${version}. Use the release that made it.`,
    );
  }
  return true;
}

export async function writeMarker(path: string, disk: Disk): Promise<void> {
  disk.makeFolder(join(path, 'temporary'), 'temporary.make');
  const text = `${JSON.stringify({ store: kind, version }, null, 2)}\n`;
  await disk.replace(join(path, markerName), text, 'store');
}

function readMarker(path: string): string | undefined {
  try {
    return readFileSync(join(path, markerName), 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseFields(
  text: string,
): { readonly store?: unknown; readonly version?: unknown } | undefined {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}
