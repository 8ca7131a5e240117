import { StoreError } from '@dramaturg/host';
import pg from 'pg';

/** The host that has a store, as its lease names it. */
export interface Holder {
  /** A description for people: the `name` of the host. */
  readonly owner: string;
  /** The name of its machine. */
  readonly host: string;
  readonly pid: number;
  /** The fencing token: grows by one each time a host takes the store. */
  readonly token: bigint;
  /** ISO 8601, by the clock of the database, like `renewedAt`. */
  readonly since: string;
  readonly renewedAt: string;
}

/** The state of a lease. */
export interface LeaseState {
  /** The present holder, or the last one when the lease is free. Undefined if no host ever had it. */
  readonly holder: Holder | undefined;
  readonly claim: string | undefined;
  /** Milliseconds until the lease expires, by the clock of the database. 0 when it is free or has expired. */
  readonly remainingMs: number;
  /** Milliseconds after a crash of the server in which only the last holder may renew an expired lease. */
  readonly graceMs: number;
}

/** A row returned by `LeaseStatements.read`. */
interface LeaseRow {
  readonly token: string;
  readonly claim: string | null;
  /** Null, like the following fields, if no host ever had the lease. */
  readonly owner: string | null;
  readonly host: string;
  readonly pid: number;
  readonly since: Date;
  readonly renewed_at: Date;
  /** A number as a string. */
  readonly remaining_ms: string;
  /** A number as a string; also null if no candidate has asked since the crash. */
  readonly grace_ms: string | null;
}

export function leaseStateOf(row: object): LeaseState {
  const { token, claim, owner, host, pid, since, ...times } = row as LeaseRow;
  return {
    holder:
      owner === null
        ? undefined
        : {
            owner,
            host,
            pid,
            token: BigInt(token),
            since: since.toISOString(),
            renewedAt: times.renewed_at.toISOString(),
          },
    claim: claim ?? undefined,
    remainingMs: claim === null ? 0 : Math.max(0, Number(times.remaining_ms)),
    graceMs: claim === null ? 0 : Math.max(0, Number(times.grace_ms)),
  };
}

export function storeOwned(schema: string, { holder }: LeaseState): StoreError {
  const who = holder === undefined ? 'another host' : describe(holder);
  return new StoreError(
    'store/owned',
    `The store is in use by ${who}. To wait for it, open it as a standby. (Schema ${quoted(schema)}.)`,
  );
}

export function storeLost(own: Pick<Holder, 'token'>, state: LeaseState | undefined): StoreError {
  const by = state?.holder;
  const who =
    by === undefined || state?.claim === undefined
      ? 'Another host has taken the store and released it again'
      : `The store has been taken over by ${quoted(by.owner)}, process ${by.pid} on ${quoted(by.host)}, at ${by.since} with the token ${by.token}`;
  return new StoreError(
    'store/lost',
    `${who}. This host (token ${own.token}) had not renewed its lease in time. It writes and sends nothing more.`,
  );
}

function describe({ owner, pid, host, since, renewedAt }: Holder): string {
  return `${quoted(owner)}, process ${pid} on ${quoted(host)}, since ${since}, last renewed at ${renewedAt}`;
}

/** Names come from other hosts: line breaks are escaped and the length is limited. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

/** The times of a lease, in milliseconds. */
export interface LeaseTimes {
  /** Without a renewal for this long, another host may take the store. It is measured only by the clock of the database. */
  readonly durationMs: number;
  /** The time between two renewals. */
  readonly renewalMs: number;
  /** The holder stops its effects this long before the lease can expire. Covers clocks that run at different speeds. */
  readonly marginMs: number;
  /** The timeout of a statement about the lease. After it, the connection counts as dead, and a new one is tried. */
  readonly answerMs: number;
  /** The longest time between two attempts of a waiting host. */
  readonly pollMs: number;
}

/**
 * A crashed or stalled holder is replaced after at most 3 s, plus the time to open the store. If a connection becomes half-open,
 * a holder has two attempts to renew its lease on a new one.
 */
export const defaultTimes: LeaseTimes = {
  durationMs: 3_000,
  renewalMs: 750,
  marginMs: 500,
  answerMs: 750,
  pollMs: 500,
};

/** The pause after a failed statement, in milliseconds. */
export const retryMs = 200;

/** All stores of a database share one channel. The payload is the name of the schema. */
export const releaseChannel = 'dramaturg_lease';

/** The statements about the lease of one schema. */
export interface LeaseStatements {
  /** Creates the schema and the three tables, if they do not exist. */
  readonly create: string;
  /** Selects whether all tables exist. */
  readonly exists: string;
  /**
   * Takes a free or expired lease. Parameters: claim, owner, host, pid, duration in ms. Returns the token, or no row. After a crash of the
   * server, the holder has the duration of its lease to renew it.
   */
  readonly take: string;
  /** Renews the lease. Parameters: claim, duration in ms. Returns no row when the lease belongs to another claim. */
  readonly renew: string;
  /** Releases the lease. Parameters: claim, name of the schema. */
  readonly release: string;
  /** Reads the row of the lease. */
  readonly read: string;
  /**
   * The first statement of every write transaction. Parameters: token, claim. It returns no row when another host has taken the
   * lease. It takes a lock, so a host that takes the lease waits for the end of the transaction.
   */
  readonly fence: string;
}

/**
 * Three tables of one row each. `lease` has the holder and is renewed. `fence` has the token that each write compares. They are
 * separate so that renewals and writes do not wait for each other. `uptime` is not logged, so a crash of the server empties it:
 * the first candidate notes when the server is back. Only the holder at the time of the crash has the receipts that were lost.
 */
export function leaseStatements(schema: string): LeaseStatements {
  const name = pg.escapeIdentifier(schema);
  const lease = `${name}.lease`;
  const fence = `${name}.fence`;
  const uptime = `${name}.uptime`;
  return {
    exists: `
      SELECT to_regclass(${pg.escapeLiteral(fence)}) IS NOT NULL
        AND to_regclass(${pg.escapeLiteral(uptime)}) IS NOT NULL AS "exists"`,
    create: `
      -- One implicit transaction. Creating the same thing at the same time fails, even with IF NOT EXISTS.
      SELECT pg_advisory_xact_lock(hashtextextended(${pg.escapeLiteral(`dramaturg ${schema}`)}, 0));
      CREATE SCHEMA IF NOT EXISTS ${name};
      CREATE TABLE IF NOT EXISTS ${lease} (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        token bigint NOT NULL,
        claim uuid,
        owner text,
        host text,
        pid integer,
        since timestamptz,
        renewed_at timestamptz,
        expires_at timestamptz
      );
      CREATE TABLE IF NOT EXISTS ${fence} (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        token bigint NOT NULL,
        claim uuid
      );
      CREATE UNLOGGED TABLE IF NOT EXISTS ${uptime} (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        since timestamptz NOT NULL
      );
      INSERT INTO ${lease} (token) VALUES (0) ON CONFLICT DO NOTHING;
      INSERT INTO ${fence} (token) VALUES (0) ON CONFLICT DO NOTHING`,
    take: `
      WITH noted AS (
        INSERT INTO ${uptime} (since) VALUES (clock_timestamp()) ON CONFLICT DO NOTHING
      ), taken AS (
        UPDATE ${lease}
        SET token = token + 1, claim = $1, owner = $2, host = $3, pid = $4,
          since = clock_timestamp(), renewed_at = clock_timestamp(),
          expires_at = clock_timestamp() + $5 * interval '1 millisecond'
        WHERE claim IS NULL OR (
          expires_at <= clock_timestamp()
          AND EXISTS (
            SELECT FROM ${uptime} WHERE since <= clock_timestamp() - (expires_at - renewed_at)
          )
        )
        RETURNING token, claim
      )
      UPDATE ${fence} SET token = taken.token, claim = taken.claim FROM taken
      RETURNING ${fence}.token::text AS token`,
    renew: `
      UPDATE ${lease}
      SET renewed_at = clock_timestamp(), expires_at = clock_timestamp() + $2 * interval '1 millisecond'
      WHERE claim = $1
      RETURNING token::text AS token`,
    release: `
      WITH released AS (
        UPDATE ${lease} SET claim = NULL, expires_at = NULL WHERE claim = $1 RETURNING token
      )
      SELECT pg_notify('${releaseChannel}', $2) FROM released`,
    read: `
      SELECT token::text AS token, claim::text AS claim, owner, host, pid, since, renewed_at,
        extract(epoch FROM expires_at - clock_timestamp()) * 1000 AS remaining_ms,
        extract(
          epoch FROM (SELECT since FROM ${uptime}) + (expires_at - renewed_at) - clock_timestamp()
        ) * 1000 AS grace_ms
      FROM ${lease}`,
    fence: `SELECT 1 FROM ${fence} WHERE token = $1 AND claim = $2 FOR SHARE`,
  };
}
