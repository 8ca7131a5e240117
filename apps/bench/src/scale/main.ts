import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { OwnProcess } from '../own-process/own-process.ts';
import { PeerError } from '../peers.ts';
import { clearProgress, showProgress } from '../progress.ts';
import { calibratePostgres } from './calibration/postgres.ts';
import { calibrateRestate } from './calibration/restate.ts';
import { type Calibration, readCalibration, saveCalibration } from './costs.ts';
import { studyChart } from './report/study-chart.ts';
import { studyText } from './report/text.ts';
import { studyPostgres, studyRestate } from './stores.ts';

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
