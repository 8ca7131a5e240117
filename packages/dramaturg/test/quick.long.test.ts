import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { allCommands } from '../src/cli/all-commands.ts';
import { catalogue } from '../src/cli/catalogue.ts';
import { quickCommands } from '../src/cli/quick-commands.ts';
import * as list from '../src/formats.ts';
import { dramaturg, examples, folderWith, installedDramaturg } from './command.ts';

test('the bundle prints what the packages print', async () => {
  const definitions = (await readdir(examples)).filter((name) =>
    /\.(?:plan|asl|npc|lifecycle|context-graph)\.(?:json|yaml)$/.test(name),
  );
  expect(definitions.length).toBeGreaterThan(4);
  const calls = [
    ['check', ...definitions],
    ['check', ...definitions, '--json', '--verbose'],
    ['compile', definitions[0]!, '--json'],
    ['compile', definitions[1]!, '--to', 'mermaid'],
    ['compile', definitions[1]!, '--to', 'svg'],
    ['compile', definitions[2]!, '--to', 'stately'],
    ['topology', 'check-in.context-graph.yaml'],
    ['schema'],
    ['schema', 'npc'],
    ['types', ...definitions],
    ['check'],
    ['check', 'nowhere.json'],
    ['check', definitions[0]!, '--option', 'nonsense=1', '--json'],
    ['chek'],
    ['--nonsense'],
  ];
  const called = new Set(calls.slice(0, -2).map(([name]) => name));
  expect(new Set(Object.keys(quickCommands))).toEqual(called);
  for (const args of calls)
    expect([args, await installedDramaturg(args)]).toEqual([args, await dramaturg(args)]);
});

test('what is wrong in a definition is found by the bundle, too', async () => {
  const cwd = await folderWith({ 'a.plan.json': '{"tasks": 1}', 'b.asl.yaml': 'StartAt: [' });
  const args = ['check', 'a.plan.json', 'b.asl.yaml'];
  const found = await installedDramaturg(args, { cwd });
  expect(found).toEqual(await dramaturg(args, { cwd }));
  expect(found.code).toBe(1);
});

test('expressions and regular expressions mean the same in the bundle, though their libraries are loaded late', async () => {
  const pass = (fields: object) => ({ Type: 'Pass', ...fields, End: true });
  const of = (QueryLanguage: string, fields: object) =>
    JSON.stringify({ QueryLanguage, StartAt: 'A', States: { A: pass(fields) } });
  const cwd = await folderWith({
    'sum.asl.json': of('JSONata', { Output: '{% $sum($states.input.prices) + $number("0x1F") %}' }),
    'unfinished.asl.json': of('JSONata', { Output: '{% 1 + %}' }),
    'unknown.asl.json': of('JSONata', { Output: '{% $nothing($match("a", /a+/)) %}' }),
    'filter.asl.json': of('JSONPath', { InputPath: '$.items[?(@.name =~ /^a+$/)]' }),
    'lookahead.asl.json': of('JSONPath', { InputPath: '$.items[?(@.name =~ /(?=a)b/)]' }),
  });
  const args = ['check', '*.asl.json', '--json', '--verbose'];
  const found = await installedDramaturg(args, { cwd });
  expect(found).toEqual(await dramaturg(args, { cwd }));
  expect(found.stdout).toContain('JSONata');
  expect(found.code).toBe(1);
});

test.each([
  ['customer-intake.plan.json', ['plan.cjs']],
  ['order.asl.json', ['asl.cjs']],
  ['check-in.context-graph.yaml', ['contextGraph.cjs', 'yaml.cjs']],
])('a check of %s loads its format, and the reader of YAML only for YAML', async (name, loaded) => {
  const script = `
    process.argv.push('dramaturg', 'check', ${JSON.stringify(name)}, '--quiet');
    process.on('exit', () => console.log(Object.keys(require.cache).join('\\n')));
    require(${JSON.stringify(fileURLToPath(new URL('../bin/dramaturg.js', import.meta.url)))});`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: examples });
  const lazy = ['yaml.cjs', ...Object.keys(list).map((each) => `${each}.cjs`)];
  const modules = stdout.split('\n').map((file) => basename(file));
  expect(modules).toContain('quick.cjs');
  expect(modules.filter((file) => lazy.includes(file)).toSorted()).toEqual(loaded);
});

test('compiled code is kept in the folder of the package, and nothing is kept where nobody can write', async () => {
  const { check, cache } = await copyOfCommand();
  const first = await check();
  expect((await keptIn(cache)).map(([name]) => name)).toContain('plan.code');
  expect(await check()).toEqual(first);
  await rm(cache, { recursive: true });
  // A file where the folder would be: nobody can write there, root included.
  await writeFile(cache, '');
  expect(await check()).toEqual(first);
});

test('kept code has the functions that were called, and is not written again when all is kept', async () => {
  const { check, cache } = await copyOfCommand();
  await check();
  const first = await keptIn(cache);
  // Before the run, most functions are not compiled: code without them is smaller than its source.
  const [, code] = first.find(([name]) => name === 'plan.code')!;
  expect(code.length).toBeGreaterThan(
    (await readFile(join(cache, '../dist/quick/plan.cjs'))).length,
  );
  await check();
  expect(await keptIn(cache)).toEqual(first);
});

test.each([
  ['of another source', (code: Buffer) => code.fill(0, 0, 4)],
  ['that was damaged', (code: Buffer) => code.fill(0, code.length >> 1)],
  ['that was cut off', (code: Buffer) => code.subarray(0, 5)],
])('kept code %s is made again', async (_, damaged) => {
  const { check, cache } = await copyOfCommand();
  const first = await check();
  const before = await keptIn(cache);
  for (const [name, code, file] of before)
    await writeFile(file, name === 'plan.code' ? damaged(Buffer.from(code)) : code);
  expect(await check()).toEqual(first);
  const [, again] = (await keptIn(cache)).find(([name]) => name === 'plan.code')!;
  expect(again.subarray(0, 4)).toEqual(
    before.find(([name]) => name === 'plan.code')![1].subarray(0, 4),
  );
  expect(again.length).toBeGreaterThan(5);
});

test('kept code can be written by its owner only, also under umask 000', async () => {
  const { command, cache } = await copyOfCommand();
  const script = `process.umask(0);
    process.argv.push('dramaturg', '--version');
    require(${JSON.stringify(command)});`;
  await promisify(execFile)(process.execPath, ['-e', script]);
  const kept = await keptIn(cache);
  expect(kept.length).toBeGreaterThan(0);
  const files = [cache, ...kept.flatMap(([, , file]) => [dirname(file), file])];
  for (const file of files) expect([file, (await stat(file)).mode & 0o022]).toEqual([file, 0]);
});

/** The bundle in a folder of its own, so that nothing is kept yet. */
async function copyOfCommand() {
  const copy = join(await folderWith({ 'a.plan.json': '{"tasks": 1}' }), 'package');
  for (const part of ['bin', 'package.json', 'dist/quick'])
    await cp(new URL(`../${part}`, import.meta.url), join(copy, part), { recursive: true });
  const command = join(copy, 'bin/dramaturg.js');
  const check = () =>
    promisify(execFile)(process.execPath, [command, 'check', 'customer-intake.plan.json'], {
      cwd: examples,
    });
  return { check, command, cache: join(copy, '.cache') };
}

/** Name, content and path of each file with compiled code. */
async function keptIn(cache: string) {
  const [folder = ''] = await readdir(cache);
  const names = (await readdir(join(cache, folder))).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const file = join(cache, folder, name);
      return [name, await readFile(file), file] as const;
    }),
  );
}

test('every command is listed once and can be loaded', async () => {
  const listed = Object.values(catalogue).flatMap((group) => Object.keys(group));
  expect(new Set(listed).size).toBe(listed.length);
  expect(Object.keys(allCommands).toSorted()).toEqual(listed.toSorted());
  for (const [name, load] of Object.entries(allCommands))
    expect((await load())().name()).toBe(name);
});

test('the help, also without a command, groups the commands', async () => {
  const { stdout, code } = await installedDramaturg(['--help']);
  expect(code).toBe(0);
  for (const group of Object.keys(catalogue)) expect(stdout).toContain(`\n${group}:\n`);
  const { version } = JSON.parse(
    await readFile(new URL('../package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  expect(await installedDramaturg(['--version'])).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});

test('commands that may load code of the user, or files of a package, are not in the bundle', () => {
  const mayLoadCode = ['new', 'run', 'test', 'serve', 'inspect', 'mcp'];
  expect(Object.keys(quickCommands).filter((name) => mayLoadCode.includes(name))).toEqual([]);
});
