import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { ProgressLine, runCommand, UsageError } from '@dramaturg/test-servers';
import { printed } from './print.ts';
import { runFolder } from './run.ts';
import { workerLane } from './worker-lane.ts';

const line = new ProgressLine();

/** Exit codes: 0 all pass, 1 some fail, 2 wrong arguments. */
const usage = 'npm run conformance -- <folder> [--json report.json] [--only area]';

/** Milliseconds after which a case fails. Most cases take one or two. */
const deadline = 20_000;

await runCommand(main, usage);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'string' }, only: { type: 'string' } },
    allowPositionals: true,
  });
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) throw new UsageError('Name one folder of cases.');
  const script = new URL('worker.ts', import.meta.url);
  const report = await runFolder(folder, {
    only: values.only,
    lanes: {
      count: Math.min(4, availableParallelism()),
      open: () => workerLane({ script, folder, deadline }),
    },
    progress: showProgress,
  });
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
  process.stdout.write(printed(report, process.stdout.columns));
  return report.failures.length > 0 ? 1 : 0;
}

function showProgress(done: number, all: number): void {
  if (done === all) line.clear();
  else line.show(`case ${done} of ${all}`, done, all);
}
