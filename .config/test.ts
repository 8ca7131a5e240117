/**
 * Runs the tests. The last line sums up all tests, and the line before it has the processor time and the wall time. Failures are
 * repeated above both, because they may be thousands of lines above.
 *
 *     npm test               the tests of packages and apps, without servers and browsers
 *     npm test -- plan       the tests of one package, named by its folder, the last part of its folder, or its package name
 *     npm run test:all       also the long ones (*.long.test.ts), with Postgres, restate-server and Chromium, more runs of each
 *                            property, the stories of the workbench, the recipes and the packed packages: what CI runs
 *
 * Other arguments go to Vitest. Each run builds first, because some tests run the built packages.
 */
import { spawn } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { whyNoBucket } from '../packages/test-servers/src/bucket.ts';
import { whyNoRestate } from '../packages/test-servers/src/restate.ts';
import { childrenTime, inMinutes } from './processor-time.ts';
import { endProcesses, markRun } from './test-processes.ts';
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

const startedAt = performance.now();
const runsAll = process.argv[2] === '--all';
const given = process.argv.slice(runsAll ? 3 : 2).map(folderOf);
const run = markRun();

const folders = ['.totals', 'apps/workbench/.totals'].map((folder) => join(root, folder));
for (const folder of folders) rmSync(folder, { recursive: true, force: true });

const temporary = temporaryFolder();

// Installed here, because several workers would install it at the same time.
if (runsAll) void (whyNoRestate() ?? whyNoBucket());

const hasFailed = (await start('node', ['.config/build.ts'])) || (await runTests());

const flaky: string[] = [];
const sum: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] };
for (const file of folders.flatMap((folder) => globSync(join(folder, '*.json')))) {
  const totals = JSON.parse(readFileSync(file, 'utf8')) as Totals;
  for (const key of ['passed', 'failed', 'skipped'] as const) sum[key] += totals[key];
  sum.failures.push(...totals.failures);
  flaky.push(...(totals.flaky ?? []));
}
for (const command of await endProcesses(run)) {
  sum.failed += 1;
  sum.failures.push(`A process was left running by a test, and is killed now:\n    ${command}`);
}
rmSync(temporary, { recursive: true, force: true });
// A run that did not complete has failed, even without a failed test.
if (hasFailed && sum.failed === 0) sum.failed = 1;
for (const each of flaky) console.log(`FLAKY, passed when it was run again: ${each}\n`);
for (const failure of sum.failures) console.log(`FAILED ${failure}\n`);
const wallMs = performance.now() - startedAt;
console.log(`${processorTime()}wall time ${inMinutes(wallMs)}`);
console.log(inOneLine(sum));
process.exitCode = sum.failed > 0 ? 1 : 0;

function processorTime(): string {
  const time = childrenTime();
  if (time === undefined) return '';
  const { userMs, systemMs } = time;
  return `processor time ${inMinutes(userMs + systemMs)} (user ${inMinutes(userMs)}, system ${inMinutes(systemMs)}), `;
}

/** A package, given by any of its names, becomes the folder that Vitest looks in. */
function folderOf(argument: string): string {
  const plain = argument.replace(/\/$/, '');
  const found = packages.find(
    ({ name, folder }) => plain === name || plain === folder || plain === basename(folder),
  );
  return found ? `${found.folder}/` : argument;
}

/**
 * A folder for the temporary files of the tests, in memory if there is room: no test cuts the power, so no flush has to reach a
 * disk. Servers of other users may enter it.
 */
function temporaryFolder(): string {
  const inMemory = '/dev/shm';
  const folder = mkdtempSync(join(hasRoom(inMemory) ? inMemory : tmpdir(), 'dramaturg-tests-'));
  chmodSync(folder, 0o1777);
  return folder;
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 4 * 1024 ** 3;
  } catch {
    return false;
  }
}

/** @returns whether one of the runs has failed */
async function runTests(): Promise<boolean> {
  const vitest = start('vitest', ['run', '--config', '.config/vitest.config.ts', ...given], {
    env: { TMPDIR: temporary },
  });
  if (given.length > 0 || !runsAll) return vitest;
  const stories = vitest.then(() => start('node', ['apps/workbench/test/stories.ts']));
  // These two wait for installations, so they run beside the others.
  const recipes = start('node', ['.config/recipes.ts'], { printsAfter: stories });
  const packed = recipes.then(() =>
    start('node', ['.config/packed/main.ts'], { printsAfter: stories }),
  );
  return (await Promise.all([vitest, stories, recipes, packed])).includes(true);
}

/** Runs a program. With `printsAfter`, its output waits until that promise settles, so that two outputs do not mix. */
function start(
  program: string,
  options: readonly string[],
  {
    printsAfter,
    env,
  }: { readonly printsAfter?: Promise<unknown>; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<boolean> {
  const child = spawn(program, options, {
    cwd: root,
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      ...(runsAll ? { DRAMATURG_TEST_ALL: '1' } : {}),
      ...env,
    },
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
