import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { printed, runFolder, UsageError } from './run.ts';

/** Exit codes: 0 all pass, 1 some fail, 2 called in a wrong way. */
const usage = 'npm run conformance -- <folder> [--json report.json] [--only area]';

try {
  process.exitCode = await main();
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  if (!(error instanceof UsageError) && !code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`${message}\n${usage}`);
  process.exitCode = 2;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'string' }, only: { type: 'string' } },
    allowPositionals: true,
  });
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0) throw new UsageError('Name one folder of cases.');
  const report = await runFolder(folder, values.only);
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
  process.stdout.write(printed(report));
  return report.failures.length > 0 ? 1 : 0;
}
