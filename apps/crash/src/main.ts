import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { faultTotals, totals } from './audit.ts';
import {
  ProgressLine,
  runCommand,
  UsageError,
  wholeNumber,
  whyNoPostgres,
  whyNoRestate,
} from '@dramaturg/test-servers';
import { whyNoFaults } from './faults/fault-library.ts';
import { whyNoFullDisk } from './lane.ts';
import { type Report, run } from './run.ts';
import { type StoreKind, storeKinds } from './protocol.ts';
import { type TroubleKind, troubleKinds } from './trouble.ts';

const line = new ProgressLine();

const usage = `npm run crash -- [--kills 1000 | --faults 1000 | --fills 100 | --cuts 3000 | --outages 1000] [--seed 1] [--store lowdb|sqlite|postgres | --host restate [--nodes 3]] [--lanes 4] [--json]

Runs many conversations and workflows on a host in a separate process, and makes trouble for it. In the end, compares the
acknowledgements with the store and with the deliveries.

  --kills   kills the process at random instants and at every named write point, and starts it again
  --faults  makes system calls on the files of the store fail: EIO, ENOSPC, EINTR, short and torn writes, lost flushes.
            Needs Linux and a C compiler
  --fills   fills the disk of the store, and empties it again. Needs Linux and root
  --cuts    records the changes that a process makes to the files of its store, and cuts the power after some of them: what was
            not flushed is there, or any part of it. Needs Linux and a C compiler
  --outages kills and stops the active host of a store in Postgres while another one waits, kills and stops Postgres, and
            cuts, delays, holds, halves and loses the traffic between them
  --host    restate runs the hosts on Restate. With --outages, three hosts share their work: kills and stops hosts and nodes of
            Restate, and cuts, delays, holds and halves their calls to Restate, and those of Restate to their handlers
  --nodes   the number of nodes of Restate, 1 by default. Several keep each write twice

Exit codes: 0 if nothing was lost, sent twice, reordered or damaged; 1 if something was; 2 if the arguments are wrong.

  npm run crash -- --kills 60 --seed 7
  npm run crash -- --faults 1000 --store sqlite --json
  npm run crash -- --outages 200 --store postgres
  npm run crash -- --outages 200 --host restate --nodes 3 --lanes 1`;

interface Chosen {
  readonly store?: string | undefined;
  readonly host?: string | undefined;
  readonly nodes?: string | undefined;
}

await runCommand(main, usage);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string' },
      faults: { type: 'string' },
      fills: { type: 'string' },
      cuts: { type: 'string' },
      outages: { type: 'string' },
      seed: { type: 'string', default: '1' },
      store: { type: 'string' },
      host: { type: 'string' },
      nodes: { type: 'string' },
      lanes: { type: 'string', default: String(Math.min(4, availableParallelism())) },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const store = chosenStore(values);
  const wanted = troubleKinds.filter((kind) => values[kind] !== undefined);
  if (wanted.length > 1) throw new UsageError(`Choose one of --${wanted.join(' and --')}.`);
  const [trouble = 'kills'] = wanted;
  const reason = whyNot(trouble, store);
  if (reason !== undefined) throw new UsageError(`--${trouble} is not possible here. ${reason}`);
  const times = wholeNumber(values[trouble] ?? '1000', trouble);
  const report = await run({
    trouble,
    times,
    seed: wholeNumber(values.seed, 'seed'),
    store,
    nodes: wholeNumber(values.nodes ?? '1', 'nodes'),
    lanes: wholeNumber(values.lanes, 'lanes'),
    onProgress: (done) => showProgress(trouble, done, times),
  });
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : printed(report));
  return faultTotals.some((fault) => report[fault] > 0) ? 1 : 0;
}

function chosenStore({ store, host, nodes }: Chosen): StoreKind {
  if (host !== undefined && host !== 'restate')
    throw new UsageError(`--host must be restate, not "${host}".`);
  if (host !== undefined && store !== undefined)
    throw new UsageError('Restate keeps the instances itself: leave out --store or --host.');
  if (host === undefined && nodes !== undefined)
    throw new UsageError('--nodes are those of Restate: add --host restate.');
  if (host !== undefined) return host;
  const kind = storeKinds.find((each) => each === (store ?? 'lowdb'));
  if (kind) return kind;
  throw new UsageError(`--store must be ${storeKinds.join(' or ')}, not "${store}".`);
}

function whyNot(trouble: TroubleKind, store: StoreKind): string | undefined {
  const isDisk = trouble !== 'kills' && trouble !== 'outages';
  if (store === 'postgres' || store === 'restate') {
    if (isDisk) return 'Use --kills or --outages.';
    return store === 'postgres' ? whyNoPostgres() : whyNoRestate();
  }
  if (trouble === 'outages') return 'Add --store postgres or --host restate.';
  if (trouble === 'fills') return whyNoFullDisk();
  return trouble === 'kills' ? undefined : whyNoFaults();
}

function showProgress(trouble: TroubleKind, done: number, all: number): void {
  if (done >= all) line.clear();
  else line.show(`${trouble}: ${done} of ${all}`, done, all);
}

function printed(report: Report): string {
  const remarks: Partial<Record<string, string>> = {
    [report.trouble]: remarkOn(report),
    turns: 'in debates',
    repeated: 'delivered again with the same id, which identifies them as repeats',
  };
  const counts = [
    [report.trouble, report.times],
    ...totals.map((total) => [total, report[total]] as const),
    ['repeated', report.repeated],
  ] as const;
  const lines = counts.map(([name, count]) =>
    `${name.padEnd(12)}${String(count).padStart(8)}  ${remarks[name] ?? ''}`.trimEnd(),
  );
  if (report.takeovers.length > 0) lines.push(takeoverLine(report.takeovers));
  const shown = report.complaints.slice(0, 20);
  return [`store ${report.store}, seed ${report.seed}`, ...lines, ...shown, ''].join('\n');
}

function takeoverLine(sorted: readonly number[]): string {
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1]!);
  return `takeovers   ${String(sorted.length).padStart(8)}  p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`;
}

function remarkOn({ trouble, kinds }: Report): string {
  if (trouble !== 'kills')
    return Object.entries(kinds)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(', ');
  const counts = Object.values(kinds);
  return `${counts.reduce((sum, count) => sum + count, 0)} of them at ${counts.length} named points`;
}
