import pg from 'pg';

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
