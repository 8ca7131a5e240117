import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { StoreError, systemCodeOf } from '../errors.ts';

/** The file that marks a folder as a store, with the version of its layout. */
const markerName = 'store.json';
const kind = 'dramaturg/lowdb';
const version = 1;

/**
 * Creates the folder of a store unless it exists. A folder that is not a store is not changed.
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
  // Files that a process leaves when it dies while it creates the store.
  const isOwnFile = (name: string) => name === 'temporary' || name.startsWith('owner.lock');
  const foreignName = readdirSync(path).find((name) => !isOwnFile(name));
  if (foreignName === undefined) return;
  throw new StoreError(
    'store/foreign',
    `${path} is not a store: it contains "${foreignName}" and no ${markerName}. Name an empty folder, or one that does not exist.`,
  );
}

/**
 * Checks whether the folder is marked as a store.
 *
 * @throws `store/foreign` when the mark is of another kind of store, or of a later version
 */
export function checkMarker(path: string): boolean {
  const text = readMarker(path);
  if (text === undefined) return false;
  const found = parseFields(text);
  if (found?.store !== kind) {
    throw new StoreError('store/foreign', `${join(path, markerName)} does not mark a lowdb store.`);
  }
  if (found.version !== version) {
    throw new StoreError(
      'store/foreign',
      `${path} is a store of version ${String(found.version)}, and this release reads version ${version}. Use the later release.`,
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
