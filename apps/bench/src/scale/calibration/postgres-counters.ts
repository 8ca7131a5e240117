import type { PostgresServer } from '@dramaturg/test-servers';
import type pg from 'pg';
import { processTimeOf } from './process-time.ts';

/** What a Postgres server has counted since it was started. */
export interface PostgresCounters {
  /** Processor time of all its processes, in milliseconds. */
  readonly serverMs: number;
  /** Transactions that stored a group of writes. */
  readonly groups: number;
  readonly logBytes: number;
  /** Whole pages in the log. */
  readonly pages: number;
  readonly flushes: number;
  readonly flushMs: number;
}

/** Needs `track_functions` and `track_wal_io_timing`. The counters of the server are up to a second old. */
export async function countersOf(
  client: pg.Client,
  server: PostgresServer,
): Promise<PostgresCounters> {
  const { rows } = await client.query<Record<string, string | null>>(
    `SELECT wal_bytes, wal_fpi, wal_sync, wal_sync_time,
       (SELECT sum(calls) FROM pg_stat_user_functions WHERE funcname = 'store_group') AS groups
     FROM pg_stat_wal`,
  );
  const count = (name: string) => Number(rows[0]![name] ?? 0);
  return {
    serverMs: processTimeOf(server.process.pid),
    groups: count('groups'),
    logBytes: count('wal_bytes'),
    pages: count('wal_fpi'),
    flushes: count('wal_sync'),
    flushMs: count('wal_sync_time'),
  };
}

/** The bytes of all tables of the database with their indexes. */
export async function bytesOfTables(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'dramaturg'::regnamespace`,
  );
  return Number(rows[0]!.bytes);
}
