import type Library from 'better-sqlite3';
import { copyFile } from 'node:fs/promises';
import type { System } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import { checkNotOwned } from '../owner/lock-file.ts';
import type { RepairStep } from '../repair-step.ts';
import { type LostCondition, readCondition } from './condition.ts';
import { checkNotOpenHere, oneAtATime } from './database-file.ts';
import { isBusy, sqliteFailure } from './sqlite-errors.ts';

interface RepairOptions {
  readonly Database: typeof Library;
  readonly system: System;
}

/** The effect of a repair, and the data that it loses. */
const actions: Readonly<Record<LostCondition['what'], string | undefined>> = {
  database: 'Renames what is left of the store. The next start creates an empty store.',
  log: 'Goes on with what the database has. What was stored after the log was last copied into it is lost.',
  'matching log':
    'Renames the log, and goes on with what the database has. What was stored after its log was last copied is lost.',
  'end of the log':
    'Goes on with the part of the log before the damage. What was stored after it is lost. A copy of the log is kept.',
  // Only a backup has this content.
  'content of the database': undefined,
};

/**
 * Plans the repair of a store whose newest data is missing. Nothing is changed until a step is applied.
 *
 * @throws `store/owned`
 */
export async function planSqliteRepairs(
  path: string,
  options: RepairOptions,
): Promise<readonly RepairStep[]> {
  const { Database, system } = options;
  await checkNotOwned(`${path}.lock`, system);
  const condition = await oneAtATime(() => {
    checkNotOpenHere(path);
    return readCondition(path, system.files, Database);
  });
  if (condition.kind !== 'lost') return [];
  const { what, reason } = condition;
  const action = actions[what];
  if (action === undefined) return [];
  return [{ finding: reason, action, apply: () => oneAtATime(() => repair(path, what, options)) }];
}

async function repair(
  path: string,
  what: LostCondition['what'],
  { Database, system }: RepairOptions,
): Promise<void> {
  const { files } = system;
  await checkNotOwned(`${path}.lock`, system);
  checkNotOpenHere(path);
  const suffix = `lost-${new Date(system.scheduler.now()).toISOString().replaceAll(':', '-')}`;
  const log = `${path}-wal`;
  try {
    if (what === 'end of the log') await copyFile(log, `${log}.${suffix}`);
    else if ((await files.stat(log)) !== undefined) await files.rename(log, `${log}.${suffix}`);
    await files.remove(`${path}.lock`);
    if (what !== 'database') acceptContent(new Database(path, { timeout: 0 }), system.randomId());
  } catch (error) {
    if (!isBusy(error)) throw sqliteFailure(`Repairing the store ${path}`, error);
    const message = `The file ${path} is open in another process, through another path. Stop that process first.`;
    throw new StoreError('store/owned', message, { cause: error });
  }
}

/** Marks the database as needing no log, and copies the rest of the log into it. */
function acceptContent(database: Library.Database, token: string): void {
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.prepare('UPDATE owner SET base = ?, token = ?, needs_log = 0').run(token, token);
    database.pragma('journal_mode = DELETE');
  } finally {
    database.close();
  }
}
