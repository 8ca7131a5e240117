import { type StoreError } from '@dramaturg/host';
import type { StoreLocation } from '@dramaturg/host';
import { checkedName, warn } from '@dramaturg/host/store';
import { Database, type Row, type Timeouts } from './connection/database.ts';
import { placeOf } from './connection/place.ts';
import type { WaitOptions } from './lease/candidate.ts';
import {
  type Holder,
  leaseStatements,
  leaseStateOf,
  type LeaseTimes,
  storeOwned,
} from './lease/holder.ts';
import { Lease } from './lease/lease.ts';
import { OpenPostgresStore } from './open-store.ts';
import { OpenPostgresReader } from './read/open-reader.ts';
import { checkMigration, migrate, requireStore } from './schema/migrations.ts';

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
