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
import { bytesOfTables, countersOf, type PostgresCounters } from './postgres-counters.ts';

const conversations = 1_000;

/** Postgres publishes its counters a second later. */
const countersMs = 1_500;

/** What a measurement found for each turn. */
interface PerTurn extends Sampled, PostgresCounters {}

/**
 * Measures what a turn costs on Postgres, and throughputs to check a simulation with. Linux only.
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
      // It would write pages at any moment.
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

/** A few turns only: each should be the first that writes to its pages. */
const coldMs = 200;

function timesOf(
  fitted: readonly PerTurn[],
): Pick<PostgresCosts, 'handler' | 'server' | 'flushMs' | 'roundTripMs'> {
  const fit = (costOf: (each: PerTurn) => number) =>
    fitSharedCost(fitted.map((each) => ({ perTurnMs: costOf(each), groupsPerTurn: each.groups })));
  const [handler, server] = [fit(({ cpu }) => cpu), fit(({ serverMs }) => serverMs)];
  const flushMs = mean(fitted.map((each) => each.flushMs / each.flushes));
  // One turn in flight waits for nobody, so what its time has besides processor time and flushes are round trips.
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
