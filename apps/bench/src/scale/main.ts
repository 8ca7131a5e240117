import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { RestateServer, whyNoRestate } from '@dramaturg/test-servers';
import { OwnProcess } from '../own-process/own-process.ts';
import { PeerError } from '../peers.ts';
import { clearProgress, showProgress } from '../progress.ts';
import type { ContenderName } from '../side-by-side/contenders.ts';
import { serverFolder } from '../side-by-side/servers.ts';
import {
  checkedLevels,
  checksOf,
  fittedLevels,
  openForCalibration,
} from './calibration/contender.ts';
import { bytesWrittenBy, calibratePostgres, processTimeOf } from './calibration/postgres.ts';
import {
  type Calibration,
  type Check,
  readCalibration,
  type RestateCosts,
  saveCalibration,
} from './costs.ts';
import { chartSvg } from './report/chart.ts';
import { stepsOfTurn } from './simulation/restate.ts';
import { type Point, type Study, studyPostgres, studyRestate } from './stores.ts';

const conversations = 256;

const contender: ContenderName = 'ours on Restate';

/**
 * Measures what a turn costs on one restate-server, and throughputs to check a simulation with. Linux only.
 *
 * @param sampleMs the duration of each of its measurements
 * @throws PeerError when there is no restate-server
 */
async function calibrateRestate(
  sampleMs: number,
  onProgress: (step: string) => void,
): Promise<{ readonly costs: RestateCosts; readonly checks: readonly Check[] }> {
  const whyMissing = whyNoRestate();
  if (whyMissing !== undefined) throw new PeerError(whyMissing);
  const [most] = fittedLevels.slice(-1);
  const four = await measured('4', [1, most!], sampleMs, onProgress);
  const one = await measured('1', [most!], sampleMs, onProgress);
  const [alone, together] = four.fitted;
  return {
    costs: {
      handlerMs: together!.cpu,
      serverMs: together!.serverMs,
      stepMs: Math.max(0, (alone!.p50 - alone!.cpu - alone!.serverMs) / stepsOfTurn),
      partitionTurns: one.fitted[0]!.turns,
      diskBytes: together!.diskBytes,
    },
    checks: four.checks,
  };
}

async function measured(
  partitions: string,
  levels: readonly number[],
  sampleMs: number,
  onProgress: (step: string) => void,
) {
  onProgress(`starting restate-server with ${partitions} partitions`);
  const server = await RestateServer.start({
    folder: serverFolder(`calibration-restate-${partitions}`),
    env: { RESTATE_DEFAULT_NUM_PARTITIONS: partitions },
  });
  try {
    const { ingress, admin } = server;
    const sample = await openForCalibration(
      contender,
      { postgres: '', ingress, admin },
      conversations,
    );
    for (const level of checkedLevels) await sample(level, sampleMs);
    const checked = [];
    for (const level of checkedLevels) {
      onProgress(`measuring ${level} turns in flight on ${partitions} partitions`);
      checked.push(await sample(level, sampleMs));
    }
    const fitted = [];
    for (const level of levels) {
      onProgress(`measuring ${level} turns in flight on ${partitions} partitions`);
      const { pid } = server.process;
      const [timeBefore, bytesBefore] = [processTimeOf(pid), bytesWrittenBy(pid)];
      const result = await sample(level, sampleMs);
      fitted.push({
        ...result,
        serverMs: (processTimeOf(pid) - timeBefore) / result.count,
        diskBytes: (bytesWrittenBy(pid) - bytesBefore) / result.count,
      });
    }
    return { fitted, checks: checksOf(checked) };
  } finally {
    await server.stop();
  }
}

const help = `Simulates a deployment: what a number of conversations and messages needs, and what gives way first.

Usage: npm run scale --workspace apps/bench -- --store postgres|restate [options]

  --store          postgres or restate
  --conversations  open conversations (1000000)
  --rate           messages a second (5000)
  --turns          turns that a conversation has stored, on average (20)
  --hosts          processes of the host, or of handlers (as many as are needed)
  --cores          processors of Postgres, or of all nodes of Restate (as many as are needed)
  --partitions     of Restate (as many as are needed)
  --nodes          of Restate (3)
  --replication    nodes of Restate that store each entry of the log (2)
  --seconds        simulated time (20)
  --costs          a file with the result of an earlier calibration
  --save           write the result of the calibration to this file
  --sample         seconds of each measurement of a calibration (5)
  --chart          write a picture to this file: SVG
  --json           print the result as JSON

Costs are measured on this machine, unless a file has them: Postgres or restate-server is started, and a host takes turns on it.
That takes about a minute, works on Linux only, and is right only while nothing else runs.

Examples:
  npm run scale --workspace apps/bench -- --store postgres --save costs.json --chart postgres.svg
  npm run scale --workspace apps/bench -- --store postgres --costs costs.json --rate 20000 --cores 16
`;

const { values } = parseArgs({
  options: {
    store: { type: 'string' },
    conversations: { type: 'string', default: '1000000' },
    rate: { type: 'string', default: '5000' },
    turns: { type: 'string', default: '20' },
    hosts: { type: 'string' },
    cores: { type: 'string' },
    partitions: { type: 'string' },
    nodes: { type: 'string', default: '3' },
    replication: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
    costs: { type: 'string' },
    save: { type: 'string' },
    sample: { type: 'string', default: '5' },
    chart: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) console.log(help);
else if (values.store !== 'postgres' && values.store !== 'restate')
  refuse('Name the store: --store postgres or --store restate. --help lists all options.');
else await run(values.store);

async function run(store: 'postgres' | 'restate'): Promise<void> {
  const numbers = {
    conversations: positive('conversations'),
    rate: positive('rate'),
    turns: positive('turns'),
    hosts: positive('hosts'),
    cores: positive('cores'),
    partitions: positive('partitions'),
    nodes: positive('nodes'),
    replication: positive('replication'),
    seconds: positive('seconds'),
    sample: positive('sample'),
  };
  if (process.exitCode) return;
  try {
    const calibration = values.costs
      ? readCalibration(values.costs)
      : await calibrate(store, 1000 * numbers.sample!);
    if (values.save) saveCalibration(values.save, calibration);
    showProgress('simulating');
    const study =
      store === 'postgres'
        ? studyPostgres(calibration, numbers)
        : studyRestate(calibration, numbers);
    clearProgress();
    if (values.chart) writeFileSync(values.chart, studyChart(study));
    console.log(
      values.json ? JSON.stringify({ ...study, calibration }, undefined, 2) : studyText(study),
    );
  } catch (error) {
    clearProgress();
    if (!(error instanceof PeerError)) throw error;
    refuse(error.message);
  } finally {
    await OwnProcess.endAll();
  }
}

async function calibrate(store: 'postgres' | 'restate', sampleMs: number): Promise<Calibration> {
  const [{ model } = { model: 'unknown' }, ...others] = cpus();
  const machine = `${model.trim()}, ${others.length + 1} processors`;
  return store === 'postgres'
    ? { machine, postgres: await calibratePostgres(sampleMs, showProgress) }
    : { machine, restate: await calibrateRestate(sampleMs, showProgress) };
}

function positive(name: keyof typeof values): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  refuse(`--${name} needs a number above 0, not ${JSON.stringify(text)}.`);
  return undefined;
}

function refuse(message: string): void {
  console.error(message);
  process.exitCode = 2;
}

/** Latency and utilisation over the rate of messages, as an SVG document. */
export function studyChart({ store, size, sweep, outcome, first }: Study): string {
  const lineOf = (name: string, y: (point: Point) => number) => ({
    name,
    points: sweep.map((point) => ({ x: point.rate, y: y(point) })),
  });
  const parts = Object.entries(size).map(([name, count]) => `${count} ${name}`);
  return chartSvg({
    title: `On ${store}: ${parts.join(', ')}`,
    xTitle: 'messages a second',
    mark: { x: outcome.rate, label: `${outcome.rate.toLocaleString('en')} a second` },
    panels: [
      {
        title: 'Latency',
        unit: 'ms',
        isLogarithmic: true,
        lines: [
          lineOf('turn, 99th percentile', ({ turn }) => turn.p99),
          lineOf('turn, median', ({ turn }) => turn.p50),
          lineOf('acknowledgement, median', ({ acknowledgement }) => acknowledgement.p50),
        ],
      },
      {
        title: `Share of the time for which a resource is busy. First saturated: ${first.name}, at ${Math.round(first.rate).toLocaleString('en')} a second`,
        unit: '%',
        isLogarithmic: false,
        max: 100,
        lines: outcome.stations.map(({ name }, index) =>
          lineOf(name, ({ stations }) => 100 * stations[index]!.utilisation),
        ),
      },
    ],
  });
}

/** The study for people. */
export function studyText({ store, size, needs, outcome, first, checks }: Study): string {
  const rows = (title: string, lines: readonly (readonly [string, string])[]) => {
    const longest = Math.max(...lines.map(([name]) => name.length));
    return [title, ...lines.map(([name, value]) => `  ${name.padEnd(longest)}   ${value}`)];
  };
  return [
    ...rows(
      `Simulated on ${store}: ${rounded(outcome.rate)} messages a second`,
      Object.entries(size).map(([name, value]) => [name, String(value)] as const),
    ),
    '',
    ...rows('Latency', [
      ['acknowledgement, median', `${rounded(outcome.acknowledgement.p50)} ms`],
      ['acknowledgement, 99th percentile', `${rounded(outcome.acknowledgement.p99)} ms`],
      ['turn, median', `${rounded(outcome.turn.p50)} ms`],
      ['turn, 99th percentile', `${rounded(outcome.turn.p99)} ms`],
    ]),
    '',
    ...rows('Busy', [
      ...outcome.stations.map(
        ({ name, utilisation }) => [name, `${rounded(100 * utilisation)} %`] as const,
      ),
      ...(outcome.flushes === undefined
        ? []
        : [['flushes of the log', `${rounded(outcome.flushes)} /s`] as const]),
    ]),
    '',
    ...rows(
      'By multiplication',
      needs.map(({ name, value, unit }) => [name, `${rounded(value)} ${unit}`] as const),
    ),
    '',
    `Saturated first: ${first.name}, at ${rounded(first.rate)} messages a second.`,
    '',
    ...rows(
      'Compared with measurements of one process on this machine, turns a second and median',
      checks.map(
        ({ inFlight, turns, p50, simulatedTurns, simulatedP50 }) =>
          [
            `${inFlight} in flight`,
            `measured ${rounded(turns)} /s, ${rounded(p50)} ms; simulated ${rounded(simulatedTurns)} /s, ${rounded(simulatedP50)} ms (${rounded(100 * (simulatedTurns / turns - 1))} %)`,
          ] as const,
      ),
    ),
  ].join('\n');
}

function rounded(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 3 });
}
