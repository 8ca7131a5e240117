/**
 * Runs all tests: those of the packages and, at the same time, the stories of the workbench in a browser. The last line is
 * the sum of both. The failures are repeated before it, because they may be thousands of lines above.
 *
 * `npm test -- plan` runs one package, named by its folder, the last part of its folder, or its package name, and leaves
 * the stories out. Other arguments go to Vitest.
 */
import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { inOneLine, type Totals } from './totals.ts';

const root = join(import.meta.dirname, '..');

interface Package {
  readonly name: string;
  /** From the root, with slashes. */
  readonly folder: string;
}

const packages = globSync('{packages,packages/channels,packages/formats,apps}/*/package.json', {
  cwd: root,
}).map((path): Package => {
  const { name } = JSON.parse(readFileSync(join(root, path), 'utf8')) as { name: string };
  return { name, folder: dirname(path).replaceAll('\\', '/') };
});

/** The recipes of CONTRIBUTING.md and the packed packages take minutes, and change seldom: CI runs them. */
const runsAll = process.env['DRAMATURG_TEST_ALL'] === '1';

const folders = ['.totals', 'apps/workbench/.totals'].map((folder) => join(root, folder));
for (const folder of folders) rmSync(folder, { recursive: true, force: true });

const given = process.argv.slice(2).map(folderOf);
const hasFailed = (await run('node', ['.config/build.ts'])) || (await runTests());

const flaky: string[] = [];
const sum: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] };
for (const name of [
  '.totals/packages',
  '.totals/recipes',
  '.totals/packed',
  'apps/workbench/.totals/stories',
  'apps/workbench/.totals/site',
  'apps/workbench/.totals/views',
]) {
  const file = join(root, `${name}.json`);
  if (!existsSync(file)) continue;
  const totals = JSON.parse(readFileSync(file, 'utf8')) as Totals;
  for (const key of ['passed', 'failed', 'skipped'] as const) sum[key] += totals[key];
  sum.failures.push(...totals.failures);
  flaky.push(...(totals.flaky ?? []));
}
// A run that did not complete has failed, whatever it counted.
if (hasFailed && sum.failed === 0) sum.failed = 1;
for (const each of flaky) console.log(`FLAKY, passed when it was run again: ${each}\n`);
for (const failure of sum.failures) console.log(`FAILED ${failure}\n`);
console.log(inOneLine(sum));
process.exitCode = hasFailed ? 1 : 0;

/** A package, given by any of its names, becomes the folder that Vitest looks in. */
function folderOf(argument: string): string {
  const plain = argument.replace(/\/$/, '');
  const found = packages.find(
    ({ name, folder }) => plain === name || plain === folder || plain === basename(folder),
  );
  return found ? `${found.folder}/` : argument;
}

/** @returns whether one of the runs has failed */
async function runTests(): Promise<boolean> {
  const vitest = run('vitest', ['run', '--config', '.config/vitest.config.ts', ...given]);
  if (given.length > 0) return vitest;
  const stories = run('node', ['apps/workbench/test/stories.ts'], { printsAfter: vitest });
  const haveFailed = (await Promise.all([vitest, stories])).includes(true);
  if (!runsAll) return haveFailed;
  const recipesHaveFailed = await run('node', ['.config/recipes.ts']);
  const packagesHaveFailed = await run('node', ['.config/packed/main.ts']);
  return haveFailed || recipesHaveFailed || packagesHaveFailed;
}

/** Runs a program. With `printsAfter`, its output waits for another one to end, so that the two do not mix. */
function run(
  program: string,
  options: readonly string[],
  { printsAfter }: { readonly printsAfter?: Promise<unknown> } = {},
): Promise<boolean> {
  const child = spawn('npx', [program, ...options], {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
    stdio: printsAfter ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    shell: process.platform === 'win32',
  });
  const output: { readonly stream: NodeJS.WriteStream; readonly text: Buffer }[] = [];
  let mayPrint = false;
  const print = () => {
    for (const { stream, text } of output.splice(0)) stream.write(text);
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (text: Buffer) => {
      output.push({ stream: process[name], text });
      if (mayPrint) print();
    });
  }
  void printsAfter?.then(() => {
    mayPrint = true;
    print();
  });
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(error);
      resolve(true);
    });
    child.on('close', (status) => resolve(status !== 0));
  });
}
