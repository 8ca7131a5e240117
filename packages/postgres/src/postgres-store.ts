import { type Store, StoreError, type StoreLocation } from '@dramaturg/host';
import {
  acknowledgeWrite,
  badRequest,
  type Change,
  checkedName,
  type Committed,
  commitWrite,
  createWrite,
  type NewRecord,
  type Receipt,
  type RecordDamageError,
  warn,
  type Write,
  type WriteResult,
} from '@dramaturg/host/store';
import {
  Database,
  type Place,
  placeOf,
  type Row,
  type Statements,
  type Timeouts,
} from './connection/database.ts';
import type { WaitOptions } from './lease/candidate.ts';
import {
  type Holder,
  leaseStatements,
  leaseStateOf,
  type LeaseTimes,
  storeOwned,
} from './lease/holder.ts';
import { Lease } from './lease/lease.ts';
import { OpenPostgresReader } from './read/open-reader.ts';
import { checkMigration, createTables, migrate, requireStore } from './schema/migrations.ts';
import { GroupCommit } from './write/group-commit.ts';
import type { Group } from './write/group.ts';

export interface PostgresStoreOptions {
  /** The schema that has the tables; `dramaturg` by default. Each tenant has its own. */
  readonly schema?: string;
  /**
   * Waits in `open` until the store is free, instead of refusing with `store/owned`. One of the waiting hosts takes the store
   * immediately when its host stops, and within 5 s when that host crashes, stalls or is cut off. False by default.
   */
  readonly standby?: boolean | StandbyOptions;
  /**
   * Lets `read` open the store while a host works, also on another machine. Each call then reads the store as it is at that time.
   * False by default: a store in use is refused with `store/owned`.
   */
  readonly readWhileOwned?: boolean;
  /** The times of the lease. All hosts of a store need the same times. See docs/standby.md */
  readonly lease?: Partial<LeaseTimes>;
  /** The timeout for a connection, in milliseconds; 5,000 by default. */
  readonly connectMs?: number;
  /** The timeout for the answer to a statement, and also for a free connection, in milliseconds; 15,000 by default. */
  readonly answerMs?: number;
  /**
   * How long a read or a write is repeated after its connection was lost, in milliseconds; 10,000 by default. A write is stored
   * once. After this time the call rejects with `store/failed`. The store continues when the server is back.
   */
  readonly retryMs?: number;
  /** Receives errors of background work, such as a damaged record that cannot be marked. Default: a warning of the process. */
  readonly onError?: (error: StoreError) => void;
}

/**
 * Creates a store in a schema of a Postgres database, version 13 or later. Opening the store creates the tables.
 *
 * @param url `postgres://user:password@host:port/database`, with the parameters of the driver `pg`, and `schema`
 */
export function postgresStore(url: string, options: PostgresStoreOptions = {}): StoreLocation {
  const { connectMs = 5_000, answerMs = 15_000, retryMs = 10_000, onError = warn } = options;
  const timeouts = { connectMs, answerMs, retryMs };
  return {
    open: async (owner) => {
      const name = checkedName(owner, 'owner');
      return connected(url, options, timeouts, 'Opening the store', async (database) => {
        await checkMigration(database);
        const { place } = database;
        let store: OpenPostgresStore | undefined;
        const lease = await Lease.acquire(
          {
            connection: place.connection('lease'),
            schema: place.schema,
            owner: name,
            times: options.lease ?? {},
            onReconnect: () => (store ? store.reconnect() : database.cut()),
          },
          waitOptionsOf(options.standby),
        );
        // A host that has lost the lease does not wait for answers.
        lease.lost.addEventListener('abort', () => database.cut());
        try {
          await migrate(database, lease);
          store = new OpenPostgresStore(database, { lease, onError });
          return store;
        } catch (error) {
          await lease.release();
          throw error;
        }
      });
    },
    read: () =>
      connected(url, options, timeouts, 'Reading the store', async (database) => {
        await requireStore(database);
        if (!options.readWhileOwned) await requireNoOwner(database);
        return new OpenPostgresReader(database);
      }),
  };
}

/** The connections are closed when the store does not open. */
async function connected<Opened>(
  url: string,
  { schema, standby }: PostgresStoreOptions,
  timeouts: Timeouts,
  doing: string,
  open: (database: Database) => Promise<Opened>,
): Promise<Opened> {
  const database = new Database(placeOf(url, schema), timeouts);
  try {
    return await open(database);
  } catch (error) {
    await database.close();
    throwIfWaitingEnded(standby);
    throw database.failure(doing, error);
  }
}

/** @throws `store/owned` when a living owner has the store */
async function requireNoOwner(database: Database): Promise<void> {
  const { schema } = database.place;
  const [row] = await database.scan<Row>(leaseStatements(schema).read);
  if (row === undefined) return;
  const state = leaseStateOf(row);
  if (state.remainingMs > 0) throw storeOwned(schema, state);
}

/** Options of the wait for a store that another host has. */
export interface StandbyOptions {
  /**
   * Called when the waiting begins, and each time another host has taken the store, with that host. Undefined when the store is
   * free at this moment.
   */
  readonly onWaiting?: (holder: Holder | undefined) => void;
  /** Called once when the database stops answering. The waiting continues. */
  readonly onUnreachable?: (error: unknown) => void;
  /**
   * Milliseconds that this host waits before it takes a free store. Called each time. A process that serves many stores lets
   * others go first: `() => 50 * hosts.size`.
   */
  readonly delayMs?: () => number;
  /** Ends the waiting: `open`, and so `createHost`, rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** @throws the reason of the signal that has ended the waiting */
function throwIfWaitingEnded(standby: boolean | StandbyOptions | undefined): void {
  if (typeof standby === 'object') standby.signal?.throwIfAborted();
}

/** @returns undefined when a store that is in use is refused */
function waitOptionsOf(standby: boolean | StandbyOptions | undefined): WaitOptions | undefined {
  if (standby === undefined || standby === false) return undefined;
  if (standby === true) return {};
  const { onWaiting, ...rest } = standby;
  return { ...rest, ...(onWaiting && { onWaiting: ({ holder }) => onWaiting(holder) }) };
}

interface OpenStoreOptions {
  readonly lease: Lease;
  readonly onError: (error: StoreError) => void;
}

/**
 * An open Postgres store. Owns the connections, the group commit and the lease.
 *
 * States: open → closing → closed. A closing store still stores the waiting writes.
 */
class OpenPostgresStore extends OpenPostgresReader implements Store {
  readonly #group: GroupCommit;
  /** The lease (H6). */
  readonly ownership: Lease;
  readonly #onError: (error: StoreError) => void;

  constructor(database: Database, { lease, onError }: OpenStoreOptions) {
    super(database);
    this.ownership = lease;
    this.#onError = onError;
    this.#group = new GroupCommit(database, { lease, where: this.where });
  }

  async create(record: NewRecord): Promise<Committed> {
    return (await this.#write(createWrite(record))).committed;
  }

  async commit(change: Change): Promise<Committed> {
    return (await this.#write(commitWrite(change))).committed;
  }

  async acknowledge(receipt: Receipt): Promise<Committed | undefined> {
    const { isNew, committed } = await this.#write(acknowledgeWrite(receipt));
    return isNew ? committed : undefined;
  }

  /** Ends the connections, which may be half-open, and stores again the receipts that a crash of the server may have lost. */
  reconnect(): void {
    this.database.cut();
    this.#group.restoreReceipts();
  }

  async delete(id: string): Promise<boolean> {
    const name = checkedName(id, 'id');
    this.checkOpen();
    const isDeleted = await this.#group.run(name, (group) => group.delete(name));
    if (isDeleted) this.forget(name);
    return isDeleted;
  }

  /**
   * Frees the space of deleted and replaced rows for other rows.
   *
   * @param rewrites rewrites the tables, and locks them while it does
   */
  async compact(rewrites = false): Promise<string> {
    await this.#maintain(rewrites ? 'VACUUM FULL' : 'VACUUM', 'Compacting the store');
    const inTables = rewrites
      ? ''
      : 'Bytes of deleted rows stay in free space of the tables until others are written there: an erase with "rewrite" runs VACUUM FULL, which removes them. ';
    return `${inTables}The write-ahead log with its archive, replicas and backups of the server keep deleted bytes until they are recycled or deleted.`;
  }

  /** Postgres does this by itself about a minute after many writes. Until then, lists may scan all records. */
  analyze(): Promise<void> {
    return this.#maintain('ANALYZE', 'Analyzing the store');
  }

  /** @param target the URL of another store, or the name of a schema in the same database */
  async backup(target: string): Promise<void> {
    this.checkOpen();
    await backupStore(this.database, target);
  }

  protected override async closeNow(): Promise<void> {
    try {
      await this.#group.finish();
      await this.ownership.release();
    } catch (error) {
      throw this.database.failure('Closing the store', error);
    } finally {
      await super.closeNow();
    }
  }

  protected override async mark({ id, message }: RecordDamageError): Promise<boolean> {
    try {
      await this.#group.run(id, (group) => group.markDamaged(id, message));
      return true;
    } catch (error) {
      this.#onError(this.database.failure('Setting a damaged record aside', error));
      return false;
    }
  }

  async #maintain(statement: 'VACUUM' | 'VACUUM FULL' | 'ANALYZE', doing: string): Promise<void> {
    this.checkOpen();
    try {
      for (const table of ['records', 'snapshots', 'parts', 'letters', 'lines'])
        await this.database.scan(`${statement} {schema}.${table}`);
    } catch (error) {
      throw this.database.failure(doing, error);
    }
  }

  async #write(write: Write): Promise<WriteResult> {
    this.checkRecord(write.id);
    // Set once stored: a receipt that a crash of the server loses is stored again at this position.
    let position: number | undefined;
    const apply = (group: Group) => group.store(write, position);
    const result = await this.#group.run(write.id, apply, write.type === 'acknowledge');
    position = result.committed.position;
    return result;
  }
}

/** Rows that this process copies at a time. */
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
 * Copies a consistent snapshot of a store in use. The copy is one transaction, so an interrupted copy leaves nothing.
 *
 * @param target the URL of a store, or the name of a schema in the same database
 * @throws `store/exists`, `store/bad-request`, `store/damaged`
 */
async function backupStore(source: Database, target: string): Promise<void> {
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

/** Copied rows keep their positions. */
async function copyFeed(from: Statements, to: Statements): Promise<void> {
  const [found] = await from.run<{ feed: string; last_position: number }>(
    'SELECT feed, last_position FROM {schema}.progress',
  );
  const { feed, last_position: last } = found!;
  await to.run('UPDATE {schema}.progress SET feed = $1, last_position = $2', [feed, last]);
}

function targetOf(source: Place, target: string): Place {
  if (/^postgres(ql)?:/i.test(target)) return placeOf(target);
  // A path would be a valid name of a schema, but is never meant as one.
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
