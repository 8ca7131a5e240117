/** Runs simulations one after another: `node simulate-each.ts <options of each>`. Prints the reports, a line of JSON for each. */
import { allFaultKinds } from '../src/faults/breakages.ts';
import { run, type RunOptions } from '../src/run.ts';

const each = JSON.parse(process.argv[2]!) as Partial<RunOptions>[];
for (const options of each) {
  const report = await run({
    seed: 1,
    runs: 1,
    days: 1,
    kinds: allFaultKinds,
    untilMs: Infinity,
    isTwice: false,
    shrinks: false,
    traceLines: 40,
    ...options,
  });
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
