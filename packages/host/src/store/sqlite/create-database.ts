import type Library from 'better-sqlite3';
import { dirname } from 'node:path';
import type { System } from '../disk/system.ts';
import type { AtWritePoint } from '../disk/write-point.ts';
import { systemCodeOf } from '../errors.ts';
import type { FsyncMode } from '../fsync.ts';
import { makeSchema } from './schema.ts';

export interface CreateDatabaseOptions {
  readonly Database: typeof Library;
  readonly system: System;
  readonly fsync: FsyncMode;
  readonly atWritePoint?: AtWritePoint | undefined;
}

/**
 * Creates an empty, closed store with all its tables, unless another process is faster. A crash leaves nothing under its
 * name, so a file that is empty or has no tables has lost its content.
 */
export async function createDatabase(
  path: string,
  { Database, system, fsync, atWritePoint }: CreateDatabaseOptions,
): Promise<void> {
  const { files } = system;
  const draft = `${path}.${system.randomId()}.new`;
  try {
    atWritePoint?.('create.file');
    // SQLite gives its other files the same permissions.
    await (await files.open(draft, 'new')).close();
    const database = new Database(draft);
    try {
      if (fsync === 'never') database.pragma('synchronous = OFF');
      atWritePoint?.('create.schema');
      makeSchema(database, system.randomId());
    } finally {
      database.close();
    }
    atWritePoint?.('create.link');
    await files.link(draft, path);
    atWritePoint?.('create.linked');
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  } finally {
    await files.remove(draft);
    await files.remove(`${draft}-journal`);
  }
  if (fsync !== 'never') await files.flushFolder(dirname(path));
}
