/**
 * Runs all tests: those of the packages, and the stories of the workbench in a browser. The last line is the sum of both, after
 * what has failed, said again: it may stand thousands of lines above.
 * Arguments are for the first, as in `npm test -- packages/host`; the stories are left out then.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inOneLine, type Totals } from './totals.ts';

const root = join(import.meta.dirname, '..');
const folders = ['.totals', 'apps/workbench/.totals'].map((folder) => join(root, folder));
for (const folder of folders) rmSync(folder, { recursive: true, force: true });

const given = process.argv.slice(2);
const packages = ['npx', 'vitest', 'run', '--config', '.config/vitest.config.ts', ...given];
const stories = ['node', 'apps/workbench/test/stories.ts'];
let hasFailed = false;
for (const [command, ...options] of given.length > 0 ? [packages] : [packages, stories]) {
  const { status } = spawnSync(command!, options, { cwd: root, stdio: 'inherit' });
  hasFailed ||= status !== 0;
}

const sum: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] };
for (const name of [
  '.totals/packages',
  'apps/workbench/.totals/stories',
  'apps/workbench/.totals/site',
]) {
  const file = join(root, `${name}.json`);
  if (!existsSync(file)) continue;
  const totals = JSON.parse(readFileSync(file, 'utf8')) as Totals;
  for (const key of ['passed', 'failed', 'skipped'] as const) sum[key] += totals[key];
  sum.failures.push(...totals.failures);
}
// What did not come to its end has failed, whatever it counted until then.
if (hasFailed && sum.failed === 0) sum.failed = 1;
for (const failure of sum.failures) console.log(`FAILED ${failure}\n`);
console.log(inOneLine(sum));
process.exitCode = hasFailed ? 1 : 0;
