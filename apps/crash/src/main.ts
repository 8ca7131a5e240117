import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { DramaturgError } from '@dramaturg/compiler';
import { type Report, run } from './run.ts';
import { type StoreKind, storeKinds } from './store-kind.ts';

const usage = `npm run crash -- [--kills 1000] [--seed 1] [--store lowdb|sqlite] [--lanes 4] [--json]

Runs many conversations and workflows on a host in a separate process. Kills that process at random instants and at every
named write point, and starts it again. In the end, compares the acknowledgements with the store and with the deliveries.
Exit codes: 0 if nothing was lost, sent twice or reordered; 1 if something was; 2 if the arguments are wrong.

  npm run crash -- --kills 60 --seed 7
  npm run crash -- --kills 1000 --store sqlite --json`;

class UsageError extends DramaturgError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super('crash/wrong-call', message);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  if (!(error instanceof UsageError) && !code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`${message}\n${usage}`);
  process.exitCode = 2;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      store: { type: 'string', default: 'lowdb' },
      lanes: { type: 'string', default: String(Math.min(4, availableParallelism())) },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const store = storeKinds.find((kind) => kind === values.store);
  if (!store)
    throw new UsageError(`--store must be ${storeKinds.join(' or ')}, not "${values.store}".`);
  const kills = wholeNumber(values.kills, 'kills');
  const report = await run({
    kills,
    seed: wholeNumber(values.seed, 'seed'),
    store: store satisfies StoreKind,
    lanes: wholeNumber(values.lanes, 'lanes'),
    onKill: (done) => showProgress(done, kills),
  });
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : printed(report));
  return report.lost + report.duplicated + report.reordered === 0 ? 0 : 1;
}

function wholeNumber(text: string, name: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new UsageError(`--${name} must be a whole number from 1, not "${text}".`);
}

function showProgress(done: number, all: number): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(done === all ? '\r\u001B[K' : `\rkill ${done} of ${all}`);
}

function printed(report: Report): string {
  const {
    kills,
    messages,
    timers,
    calls,
    decisions,
    turns,
    lost,
    duplicated,
    reordered,
    repeated,
    points,
  } = report;
  const atPoints = Object.values(points).reduce((sum, times) => sum + times, 0);
  const rows: [string, number, string][] = [
    ['kills', kills, `${atPoints} of them at ${Object.keys(points).length} named points`],
    ['messages', messages, ''],
    ['timers', timers, ''],
    ['calls', calls, ''],
    ['decisions', decisions, ''],
    ['turns', turns, 'in debates'],
    ['repeated', repeated, 'delivered again with the same id, which identifies them as repeats'],
    ['lost', lost, ''],
    ['duplicated', duplicated, ''],
    ['reordered', reordered, ''],
  ];
  const lines = rows.map(
    ([name, count, remark]) =>
      `${name.padEnd(12)}${String(count).padStart(8)}${remark === '' ? '' : `  ${remark}`}`,
  );
  const shown = report.complaints.slice(0, 20);
  return [`store ${report.store}, seed ${report.seed}`, ...lines, ...shown, ''].join('\n');
}
