import { StoreError } from '@dramaturg/host';
import { badRequest } from '@dramaturg/host/store';
import { Database, type Row, type Statements } from './connection/database.ts';
import { type Place, placeOf } from './connection/place.ts';
import { OpenPostgresReader } from './read/open-reader.ts';
import { createTables } from './schema/migrations.ts';

/** Rows that go through this process together. */
const rowsPerSlice = 200;

/** The tables of the records, with their primary keys. */
const tables: readonly (readonly [name: string, key: string])[] = [
  ['records', 'number'],
  ['snapshots', 'record'],
  ['parts', 'record, place'],
  ['letters', 'record, place'],
  ['lines', 'record, kind, first'],
];

/**
 * Copies a store as it is at one instant, while it is in use. The copy is one transaction, so an interrupted one leaves nothing.
 *
 * @param target the URL of a store, or the name of a schema in the same database
 * @throws `store/exists`, `store/bad-request`, `store/damaged`
 */
export async function backupStore(source: Database, target: string): Promise<void> {
  const copy = new Database(targetOf(source.place, target), source.timeouts);
  try {
    await copy.transaction('', async (to) => {
      const found = await to.run(
        'SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 LIMIT 1',
        [copy.place.schema],
      );
      if (found.length > 0) throw targetExists(copy.place);
      await createTables(copy, to);
      await source.transaction('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (from) => {
        for (const [table, key] of tables) {
          await from.run(
            `DECLARE backup NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS row FROM {schema}.${table} t ORDER BY ${key}`,
          );
          for (;;) {
            const rows = await from.run<Row & { row: string }>(`FETCH ${rowsPerSlice} FROM backup`);
            if (rows.length === 0) break;
            await to.run(
              `INSERT INTO {schema}.${table} SELECT * FROM json_populate_recordset(NULL::{schema}.${table}, $1::json)`,
              [`[${rows.map(({ row }) => row).join(',')}]`],
            );
          }
          await from.run('CLOSE backup');
        }
        await copyFeed(from, to);
      });
    });
    await requireSame(source, copy);
  } catch (error) {
    throw copy.failure('Copying the store to a backup', error);
  } finally {
    await copy.close();
  }
}

/** The rows that were copied keep their positions. */
async function copyFeed(from: Statements, to: Statements): Promise<void> {
  const [found] = await from.run<{ feed: string; last_position: number }>(
    'SELECT feed, last_position FROM {schema}.progress',
  );
  const { feed, last_position: last } = found!;
  await to.run('UPDATE {schema}.progress SET feed = $1, last_position = $2', [feed, last]);
}

function targetOf(source: Place, target: string): Place {
  if (/^postgres(ql)?:/i.test(target)) return placeOf(target);
  // A path is a valid name of a schema, and never meant to be one.
  if (!/[/\\]/.test(target)) return source.withSchema(target);
  throw badRequest(
    'A store in Postgres is copied to another schema or database: name a schema, or the URL of a database. "dramaturg copy" copies it to a file.',
  );
}

/** @throws `store/damaged` when the copy has damage that the store does not have */
async function requireSame(source: Database, copy: Database): Promise<void> {
  const reader = new OpenPostgresReader(copy);
  const { damaged } = await reader.verify();
  const known = new Set((await new OpenPostgresReader(source).damaged()).map(({ id }) => id));
  const found = damaged.find(({ id }) => id === undefined || !known.has(id));
  if (found === undefined) return;
  throw new StoreError(
    'store/damaged',
    `The backup is damaged. Remove it, verify the store, and try again. ${found.reason} (${found.where})`,
  );
}

function targetExists({ label }: Place): StoreError {
  return new StoreError(
    'store/exists',
    `There are tables in ${label} already, so nothing was copied. Name a schema that does not exist.`,
  );
}
