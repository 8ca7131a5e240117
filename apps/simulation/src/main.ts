import { parseArgs } from 'node:util';
import { ProgressLine, runCommand, UsageError, wholeNumber } from '@dramaturg/test-servers';
import {
  allFaultKinds,
  type Breakage,
  breakageNames,
  breakages,
  type FaultKind,
  faultKinds,
} from './faults/breakages.ts';
import { run, type RunReport } from './run.ts';
import { storeKinds } from './simulate.ts';

const line = new ProgressLine();

const usage = `npm run simulate -- [--seed 1] [--runs 1 | --minutes 5] [--days 10] [--only kill,disk] [--without clock]
                    [--break name] [--twice] [--shrink] [--trace 40] [--json]

Runs hosts, a store, a channel, a model and a small crowd in one process, on simulated time, under one seed. Things go wrong
several times a simulated day. The oracle checks the invariants of docs/architecture.md at each write and each effect, and in the
end compares all acknowledgements with the store. A run depends on its options only: a failure is repeated by its seed.

  --seed N        the first seed; by default 1, or with --minutes a random one
  --runs N        the number of seeds, one after another
  --minutes N     as many seeds as fit into this time
  --days N        simulated days with faults for each seed; the days until everything has settled come on top
  --store NAME    memory (fast), or lowdb on simulated files; by default, every other seed has lowdb
  --only KINDS    causes only these kinds of faults, separated by commas; "none" for no faults
  --without KINDS causes all other kinds
  --break NAME    breaks the host on purpose; the runs end with the first violation, which is then the expected result
  --twice         runs each seed a second time, and compares the hashes of all events
  --shrink        looks for a shorter run with fewer kinds of faults that still fails
  --trace N       prints the last N events before a violation; 40 by default
  --json          prints the report as JSON

Kinds of faults:
${list(Object.entries(faultKinds))}

Breakages:
${list(Object.entries(breakages).map(([name, { does }]) => [name, does]))}

Exit codes: 0 if no invariant was violated, or with --break if one was; 1 if not; 2 if the arguments are wrong.

  npm run simulate -- --seed 7
  npm run simulate -- --seed 7 --only kill,takeover --trace 200
  npm run simulate -- --minutes 5
  npm run simulate -- --break receipt-forgotten --minutes 1`;

await runCommand(main, 'npm run simulate -- --help explains the options.');

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      runs: { type: 'string' },
      minutes: { type: 'string' },
      days: { type: 'string', default: '10' },
      store: { type: 'string' },
      only: { type: 'string' },
      without: { type: 'string' },
      break: { type: 'string' },
      twice: { type: 'boolean', default: false },
      shrink: { type: 'boolean', default: false },
      trace: { type: 'string', default: '40' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  if (values.runs !== undefined && values.minutes !== undefined)
    throw new UsageError('Give either --runs or --minutes.');
  const minutes = values.minutes === undefined ? undefined : wholeNumber(values.minutes, 'minutes');
  const seed = minutes === undefined ? 1 : 1 + Math.floor(Math.random() * 1_000_000);
  const breakage =
    values.break === undefined ? undefined : oneOf(values.break, breakageNames, 'break');
  const { shownBy = allFaultKinds }: Breakage = breakage
    ? breakages[breakage]
    : { does: 'nothing' };
  const traceLines = wholeNumber(values.trace, 'trace');
  const report = await run({
    seed: values.seed === undefined ? seed : wholeNumber(values.seed, 'seed'),
    runs: minutes === undefined ? wholeNumber(values.runs ?? '1', 'runs') : Infinity,
    untilMs: minutes === undefined ? Infinity : performance.now() + minutes * 60_000,
    days: wholeNumber(values.days, 'days'),
    store: values.store === undefined ? undefined : oneOf(values.store, storeKinds, 'store'),
    kinds: chosenKinds(values.only, values.without, shownBy),
    breakage,
    isTwice: values.twice,
    shrinks: values.shrink,
    traceLines,
    onRun: showProgress,
  });
  line.clear();
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : printed(report));
  return (report.failure === undefined) === (breakage === undefined) ? 0 : 1;
}

function chosenKinds(
  only: string | undefined,
  without: string | undefined,
  usual: readonly FaultKind[],
): readonly FaultKind[] {
  if (only === 'none') return [];
  const namesIn = (text: string, option: string) =>
    text.split(',').map((name) => oneOf(name.trim(), allFaultKinds, option));
  const chosen = only === undefined ? usual : namesIn(only, 'only');
  const left = without === undefined ? [] : namesIn(without, 'without');
  return allFaultKinds.filter((kind) => chosen.includes(kind) && !left.includes(kind));
}

function oneOf<Name extends string>(name: string, names: readonly Name[], option: string): Name {
  const found = names.find((each) => each === name);
  if (found !== undefined) return found;
  throw new UsageError(`--${option} does not know "${name}". It knows ${names.join(', ')}.`);
}

function showProgress({ lastSeed, runs, days }: RunReport): void {
  line.show(`seed ${lastSeed}: ${runs} runs, ${Math.floor(days)} simulated days`);
}

function printed({ failure, ...report }: RunReport): string {
  const faults = Object.values(report.faults).reduce((sum, times) => sum + times, 0);
  const rows: [string, number | string][] = [
    ['runs', report.runs],
    ['simulated days', Math.floor(report.days)],
    ['activities', report.activities],
    ['calls', report.calls],
    ['deliveries', report.deliveries],
    ['faults', faults],
    ['violations', failure ? failure.violations.length : 0],
  ];
  if (report.runs === 1 && !failure) rows.push(['hash', report.hash]);
  const lines = rows.map(([name, value]) => `${name.padEnd(16)}${String(value).padStart(16)}`);
  if (!failure) return [...lines, ''].join('\n');
  const { trace, violations, repeat } = failure;
  return [...trace, ...lines, '', ...violations, `To repeat it: ${repeat}`, ''].join('\n');
}

function list(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, text]) => `  ${name.padEnd(18)}${text}`).join('\n');
}
