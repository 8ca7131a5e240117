import { StoreError } from '@dramaturg/host';
import type { Database, Statements } from '../connection/database.ts';
import type { Lease } from '../lease/lease.ts';
import { leaseStatements } from '../lease/lease-tables.ts';
import { attentionColumns } from './attention-columns.ts';
import { feedColumns } from './feed-columns.ts';
import { storeGroup } from './store-group.ts';
import { tables } from './tables.ts';
import { views } from './views.ts';

/** What each version adds to the one before it. A version that was released is never changed. */
const migrations: readonly string[] = [
  [tables, views].join('\n'),
  feedColumns,
  attentionColumns,
  storeGroup,
];

const newestVersion = migrations.length;

/**
 * Checks that the schema can become a store, or is one. Changes nothing.
 *
 * @throws `store/foreign`
 */
export async function checkMigration(database: Database): Promise<void> {
  await database.transaction('READ ONLY', async (statements) => {
    await requireUtf8(database, statements);
    await versionOf(database, statements);
  });
}

/**
 * Creates the tables, or brings them to the version of this release. Only the holder of the lease does it, so a standby of a
 * newer release leaves the tables of the active host as they are.
 */
export async function migrate(database: Database, lease: Lease): Promise<void> {
  await database.transaction('', async (statements) => {
    const { run } = statements;
    const { text, values } = lease.fence;
    if ((await run(text, values)).length === 0) throw await lease.lose();
    const version = await versionOf(database, statements);
    if (version === newestVersion) return;
    if (version === undefined) await createVersions(statements);
    await migrateFrom(version ?? 0, statements);
  });
}

/** Creates all tables in a schema that has none of them. */
export async function createTables({ place }: Database, statements: Statements): Promise<void> {
  await statements.run(leaseStatements(place.schema).create);
  await createVersions(statements);
  await migrateFrom(0, statements);
}

async function migrateFrom(version: number, { run }: Statements): Promise<void> {
  for (let next = version; next < newestVersion; next += 1) {
    await run(migrations[next]!);
    await run('INSERT INTO {schema}.store_versions (version) VALUES ($1)', [next + 1]);
  }
}

/** @throws `store/foreign` when the schema is not a store of this version */
export async function requireStore(database: Database): Promise<void> {
  const version = await database.transaction('READ ONLY', (statements) =>
    versionOf(database, statements),
  );
  if (version === newestVersion) return;
  const { label } = database.place;
  throw new StoreError(
    'store/foreign',
    version === undefined
      ? `There is no store in ${label}. Check the name of the database and of the schema.`
      : `${label} is a store of version ${version}, and this release reads version ${newestVersion}. Open it for writing once, which brings it to this version.`,
  );
}

/**
 * @returns undefined when there is no store, and nothing in its place
 * @throws `store/foreign` when the schema has something else, or a store of a later version
 */
async function versionOf(
  { place: { schema, label } }: Database,
  { run }: Statements,
): Promise<number | undefined> {
  const found = await run<{ name: string }>(
    `SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
     WHERE nspname = $1 AND relname IN ('store_versions', 'records', 'snapshots', 'parts', 'letters', 'lines', 'progress')`,
    [schema],
  );
  if (found.length === 0) return undefined;
  if (!found.some(({ name }) => name === 'store_versions')) {
    throw new StoreError(
      'store/foreign',
      `${label} is not a store, and has a table "${found[0]!.name}". Name another schema.`,
    );
  }
  const [{ version } = { version: 0 }] = await run<{ version: number }>(
    'SELECT max(version) AS version FROM {schema}.store_versions',
  );
  if (version <= newestVersion) return version;
  throw new StoreError(
    'store/foreign',
    `${label} is a store of version ${version}, and this release reads version ${newestVersion}. Use the release that made it, or a later one.`,
  );
}

async function createVersions({ run }: Statements): Promise<void> {
  await run(
    `CREATE TABLE {schema}.store_versions (
       version integer PRIMARY KEY,
       migrated_at timestamptz NOT NULL DEFAULT now()
     )`,
  );
}

async function requireUtf8({ place: { label } }: Database, { run }: Statements): Promise<void> {
  const [found] = await run<{ encoding: string }>(
    "SELECT current_setting('server_encoding') AS encoding",
  );
  if (found?.encoding === 'UTF8') return;
  throw new StoreError(
    'store/foreign',
    `The database of ${label} has the encoding ${found?.encoding}. Create one with the encoding UTF8.`,
  );
}
