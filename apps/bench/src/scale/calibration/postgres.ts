import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { PostgresServer, whyNoPostgres } from '@dramaturg/test-servers';
import pg from 'pg';
import { mean } from '../../host/times.ts';
import { PeerError } from '../../peers.ts';
import { serverFolder } from '../../side-by-side/servers.ts';
import type { Check, PostgresCosts } from '../costs.ts';
import {
  checkedLevels,
  checksOf,
  fittedLevels,
  openForCalibration,
  type Sampled,
} from './contender.ts';
import { fitSharedCost } from './fit.ts';

const conversations = 1_000;

/** The wait for Postgres, which publishes its counters a second late. */
const countersMs = 1_500;

/** The results of a measurement for each turn. */
interface PerTurn extends Sampled, PostgresCounters {}

/**
 * Measures the cost of a turn on Postgres, and throughputs for checks of a simulation. Linux only.
 *
 * @param sampleMs the duration of each of its measurements
 * @throws PeerError when there is no Postgres
 */
export async function calibratePostgres(
  sampleMs: number,
  onProgress: (step: string) => void,
): Promise<{ readonly costs: PostgresCosts; readonly checks: readonly Check[] }> {
  const whyMissing = whyNoPostgres();
  if (whyMissing !== undefined) throw new PeerError(whyMissing);
  onProgress('starting Postgres');
  const server = await PostgresServer.start({
    folder: serverFolder('calibration-postgres'),
    settings: {
      track_functions: 'all',
      track_wal_io_timing: 'on',
      // Checkpoints come only when the calibration asks for one.
      checkpoint_timeout: '1h',
      max_wal_size: '16GB',
      // Autovacuum would write pages at any moment.
      autovacuum: 'off',
    },
  });
  const { url } = server.createDatabase();
  const client = new pg.Client(url);
  await client.connect();
  try {
    onProgress(`starting ${conversations} conversations on Postgres`);
    const sample = await openForCalibration(
      'ours on Postgres',
      { postgres: url, ingress: '', admin: '' },
      conversations,
    );
    const emptyBytes = await bytesOfTables(client);
    const measured = async (inFlight: number, forMs: number): Promise<PerTurn> => {
      onProgress(`measuring ${inFlight} turns in flight on Postgres`);
      const before = await countersOf(client, server);
      const result = await sample(inFlight, forMs);
      await pause(countersMs);
      return { ...result, ...perTurn(before, await countersOf(client, server), result.count) };
    };
    let turns = 0;
    for (const level of checkedLevels) turns += (await sample(level, sampleMs)).count;
    const checked = [];
    for (const level of checkedLevels) checked.push(await sample(level, sampleMs));
    const fitted = [];
    for (const level of fittedLevels) fitted.push(await measured(level, sampleMs));
    turns += [...checked, ...fitted].reduce((sum, { count }) => sum + count, 0);
    const bytes = await bytesOfTables(client);
    await client.query('CHECKPOINT');
    const cold = await measured(1, coldMs);
    return {
      costs: {
        ...timesOf(fitted),
        logBytes: fitted.at(-1)!.logBytes,
        pagesAfterCheckpoint: cold.pages,
        conversationBytes: emptyBytes / conversations,
        turnBytes: Math.max(0, bytes - emptyBytes) / turns,
      },
      checks: checksOf(checked),
    };
  } finally {
    await client.end();
    await server.stop();
  }
}

/** The duration for only a few turns: each should be the first to write to its pages. */
const coldMs = 200;

function timesOf(
  fitted: readonly PerTurn[],
): Pick<PostgresCosts, 'handler' | 'server' | 'flushMs' | 'roundTripMs'> {
  const fit = (costOf: (each: PerTurn) => number) =>
    fitSharedCost(fitted.map((each) => ({ perTurnMs: costOf(each), groupsPerTurn: each.groups })));
  const [handler, server] = [fit(({ cpu }) => cpu), fit(({ serverMs }) => serverMs)];
  const flushMs = mean(fitted.map((each) => each.flushMs / each.flushes));
  // A single turn in flight waits for no other, so the rest of its time, besides processor time and flushes, is round trips.
  const { p50, groups } = fitted[0]!;
  const explained =
    handler.turnMs + server.turnMs + groups * (handler.groupMs + server.groupMs + flushMs);
  return { handler, server, flushMs, roundTripMs: Math.max(0, (p50 - explained) / groups) };
}

function perTurn(
  before: PostgresCounters,
  after: PostgresCounters,
  turns: number,
): PostgresCounters {
  return {
    serverMs: (after.serverMs - before.serverMs) / turns,
    groups: (after.groups - before.groups) / turns,
    logBytes: (after.logBytes - before.logBytes) / turns,
    pages: (after.pages - before.pages) / turns,
    flushes: (after.flushes - before.flushes) / turns,
    flushMs: (after.flushMs - before.flushMs) / turns,
  };
}

/** The counters of a Postgres server since its start. */
interface PostgresCounters {
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
async function countersOf(client: pg.Client, server: PostgresServer): Promise<PostgresCounters> {
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
async function bytesOfTables(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'dramaturg'::regnamespace`,
  );
  return Number(rows[0]!.bytes);
}

/** Linux counts processor time in hundredths of a second. */
const tickMs = 10;

/** The processor time of a process and of its children, in milliseconds. Linux only. */
export function processTimeOf(parent: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, pid) => {
      const fields = fieldsOf(pid);
      if (Number(pid) !== parent && Number(fields[1]) !== parent) return sum;
      return sum + (Number(fields[11]) + Number(fields[12])) * tickMs;
    }, 0);
}

/** The fields of the status of a process after its name. None when it has ended. */
function fieldsOf(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program can have spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** The bytes that a process has given to its disks. Linux only. */
export function bytesWrittenBy(pid: number): number {
  const [, bytes] = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))!;
  return Number(bytes);
}
