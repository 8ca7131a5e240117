import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, sharedRestate, whyNoRestate } from '@dramaturg/test-servers';
import { beforeAll, expect, test } from 'vitest';
import { root } from './blocks.ts';
import { compilerEntry, importsOf } from './example-imports.ts';
import { entries, exampleOf } from './exported-examples.ts';

/**
 * The example of each value that an entry exports is type-checked and run. What it prints is in comments: `// → printed`. It imports nothing, because
 * its imports follow from the names that it uses; `example-stage.ts` has those that are not exported.
 */
interface Program {
  readonly entry: string;
  readonly name: string;
  readonly code: string;
  readonly file: string;
}

/** It has a part of the main entry. */
const forBrowsers = 'dramaturg/browser';

/** What example-stage.ts exports. */
const stage = ['clerk', 'intake', 'pricing', 'stocktaking', 'text'];

const noRestate = whyNoRestate();
const exported: Record<string, readonly string[]> = {};
const missing: string[] = [];
const programs: Program[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dramaturg-examples-'));
  for (const entry of entries) exported[entry] = Object.keys((await import(entry)) as object);
  for (const entry of entries)
    for (const name of exported[entry]!) {
      if (isOfDramaturg(entry, name)) continue;
      const code = exampleOf(entry, name);
      if (code === undefined) missing.push(`${name} of ${entry}`);
      else if (entry !== forBrowsers)
        programs.push({
          entry,
          name,
          code,
          file: `${entry.replace('@', '').replaceAll('/', '-')}-${name}.ts`,
        });
    }
  await cp(join(root, 'docs/examples'), folder, { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const stageFile = join(import.meta.dirname, 'example-stage.ts');
  await cp(stageFile, join(folder, 'example-stage.ts'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tokens.json'), '{ "tokens": [] }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  await Promise.all(
    programs.map((program) => writeFile(join(folder, program.file), textOf(program))),
  );
  return () => rm(folder, { recursive: true, force: true });
});

/** Whether a name of the compiler is the same in the package `dramaturg`, with the same example. */
function isOfDramaturg(entry: string, name: string): boolean {
  return (
    entry === compilerEntry &&
    exampleOf(entry, name) !== undefined &&
    entries.some((each) => each !== entry && exampleOf(each, name) === exampleOf(entry, name))
  );
}

test('every value has an example, and one entry besides the one for browsers', () => {
  expect(missing).toEqual([]);
  const places = programs.filter(({ entry }) => entry !== compilerEntry).map(({ name }) => name);
  expect(places.filter((name, index) => places.indexOf(name) !== index)).toEqual([]);
  expect(exported['dramaturg']!.length).toBeLessThanOrEqual(40);
  const ofBrowsers = exported[forBrowsers]!;
  expect(ofBrowsers.filter((name) => !exported['dramaturg']!.includes(name))).toEqual([]);
});

test('the examples have the types of the packages', async () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const printed = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).then(
    () => '',
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
  expect(printed).toBe('');
});

test('the examples run, and print what they say', async () => {
  const run = programs.filter(
    ({ entry }) => !(entry === 'dramaturg/restate' && noRestate !== undefined),
  );
  if (noRestate === undefined) await placeRestate();
  const runner = join(import.meta.dirname, 'run-examples.mjs');
  const files = run.map(({ file }) => join(folder, file));
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--no-warnings', runner, ...files],
    { cwd: folder },
  ).catch((error: { readonly stdout: string; readonly stderr: string }) => error);
  const results = stdout
    .split('\n')
    .filter((line) => line.startsWith('{"file"'))
    .map((line) => JSON.parse(line) as { printed: readonly string[]; failure?: string });
  const differing = run.flatMap(({ entry, name, code }, index) => {
    const { printed = [], failure = `It has not run to its end. ${stderr}` } = results[index] ?? {};
    const said = Array.from(code.matchAll(/\/\/ → (.*)$/gm), ([, line]) => line!);
    const failed = results[index] && results[index].failure === undefined ? undefined : failure;
    return failed === undefined && JSON.stringify(printed) === JSON.stringify(said)
      ? []
      : [{ example: `${name} of ${entry}`, said, printed, failed }];
  });
  expect(differing).toEqual([]);
});

function textOf({ entry, code }: Program): string {
  const { [forBrowsers]: _, ...from } = exported;
  const names = { ...from, './example-stage.ts': stage };
  return `${importsOf(code, entry, names).join('\n')}\n${code}\nexport {};\n`;
}

/** The server of the tests has other addresses than the page shows. */
async function placeRestate(): Promise<void> {
  const { ingress, admin } = await sharedRestate();
  const port = String(await freePort());
  for (const program of programs.filter(({ entry }) => entry === 'dramaturg/restate')) {
    const placed = textOf(program)
      .replace('http://localhost:8080', ingress)
      .replace('http://localhost:9070', admin)
      .replace('9080', port);
    await writeFile(join(folder, program.file), placed);
  }
}

const settings = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    types: ['node'],
  },
  include: ['dramaturg*.ts'],
};
