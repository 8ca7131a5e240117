import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@dramaturg/compiler';
import { type FsyncMode, lowdbStore, sqliteStore, type StoreLocation } from '@dramaturg/host';

export const storeKinds = ['lowdb', 'sqlite'] as const;

export type StoreKind = (typeof storeKinds)[number];

/** The stores of a measurement, as JSON, because it is sent to another process. */
export interface StoreSettings extends Record<string, Json> {
  readonly kind: StoreKind;
  /** A folder that only this measurement uses. */
  readonly folder: string;
}

/** Not in the system's temporary folder, which is in memory on many systems: a flush costs nothing there. */
const parent = join(import.meta.dirname, '../../node_modules/.stores');

let runFolder: string | undefined;

/** Creates a folder that is removed when this process ends. */
export function storeFolder(name: string): string {
  if (runFolder === undefined) {
    mkdirSync(parent, { recursive: true });
    const created = mkdtempSync(join(parent, 'run-'));
    process.on('exit', () => rmSync(created, { recursive: true, force: true, maxRetries: 3 }));
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => process.exit(1));
    runFolder = created;
  }
  const folder = join(runFolder, name);
  mkdirSync(folder);
  return folder;
}

/** @param name distinguishes several stores in one folder */
export function storeAt(
  { kind, folder }: StoreSettings,
  fsync: FsyncMode,
  name = 'store',
): StoreLocation {
  const path = join(folder, name);
  return kind === 'lowdb' ? lowdbStore(path, { fsync }) : sqliteStore(`${path}.db`, { fsync });
}
