import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const packages = join(import.meta.dirname, '../..');

/** Prints the files that a program has loaded, each with its length, and then what the program logs. */
const hook = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const files = [];
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      files.push([url, loaded.source?.length ?? 0]);
      return loaded;
    },
  });
  process.on('exit', () => console.log(JSON.stringify(files)));
`)}`;

/** Runs a program with the built packages. */
function run(program: string) {
  const args = ['--import', hook, '--input-type=module', '--eval', program];
  const output = execFileSync(process.execPath, args, {
    cwd: join(packages, 'dramaturg'),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const lines = output.trimEnd().split('\n');
  const files = JSON.parse(lines.pop()!) as [url: string, length: number][];
  const loads = (part: string) => files.some(([url]) => url.includes(part));
  return {
    printed: lines.join('\n'),
    loads,
    length: files.reduce((sum, [, each]) => sum + each, 0),
  };
}

/** Parts of paths, by what they belong to. */
const parts = {
  asl: 'formats/asl/dist/index.js',
  plan: 'formats/plan/dist/index.js',
  npc: 'formats/npc/dist/index.js',
  contextGraph: 'formats/context-graph/dist/index.js',
  lifecycle: 'formats/lifecycle/dist/index.js',
  yaml: 'node_modules/yaml/',
  jsonata: 'node_modules/jsonata/',
  patterns: 'node_modules/re2js/',
  understudy: 'understudy/dist/extract.js',
  sqlite: 'store/sqlite/open.js',
  lowdb: 'store/lowdb/open.js',
  exploring: 'dramaturg/dist/exploring/',
  testing: 'dramaturg/dist/testing/',
};

function loadedBy(program: string) {
  const { loads } = run(program);
  return Object.entries(parts).flatMap(([name, part]) => (loads(part) ? [name] : []));
}

const plan = JSON.stringify({
  id: 'hi',
  states: [{ id: 'only', type: 'strict', tasks: [{ id: 't', deliverables: [{ key: 'name' }] }] }],
});

describe('a program loads what it runs', () => {
  test('the import of dramaturg loads no format, no store and no tool', () => {
    const { loads, length } = run(`import 'dramaturg';`);
    expect(Object.values(parts).filter(loads)).toEqual([]);
    expect(length).toBeLessThan(2_450_000);
  });

  test('a plan loads plans', () => {
    expect(
      loadedBy(
        `import { compile } from 'dramaturg'; compile('${plan}', { fileName: 'a.plan.json' });`,
      ),
    ).toEqual(['plan']);
  });

  test('a workflow without expressions and patterns loads no engine', () => {
    expect(
      loadedBy(`import { compile } from 'dramaturg';
        compile('{ "StartAt": "A", "States": { "A": { "Type": "Succeed" } } }', { fileName: 'a.asl.json' });`),
    ).toEqual(['asl']);
  });

  test('a conversation of the understudy loads its lifecycle and the understudy', () => {
    expect(
      loadedBy(`import { compile, createHost, memoryStore, understudyPorts } from 'dramaturg';
        const hi = compile('${plan}', { fileName: 'hi.plan.json' });
        const host = await createHost({ store: memoryStore(), definitions: { hi }, ports: understudyPorts() });
        const { id } = await host.start('hi', { contact: 'ada' });
        await host.settle();
        await host.send(id, { type: 'message.received', text: 'I am Ada' });
        await host.settle();
        await host.stop();`),
    ).toEqual(['plan', 'lifecycle', 'understudy']);
  });
});

const workflow = `compile('StartAt: A\\\\nStates: { A: { Type: Succeed } }').format`;

test.each([
  ['after', `const asl = import('@dramaturg/asl'); await asl; console.log(${workflow});`],
  [
    'while',
    `const asl = import('@dramaturg/asl'); await null; console.log(${workflow}); await asl;`,
  ],
  ['before', `console.log(${workflow}); await import('@dramaturg/asl');`],
])('a workflow is compiled %s a program imports its format', (_, program) => {
  const { printed } = run(
    `import { compile } from 'dramaturg'; ${program}`.replaceAll('\\\\n', '\\n'),
  );
  expect(printed).toBe('asl');
});

describe('what Node imports of a format', () => {
  const names = globSync('formats/*/src/node.ts', { cwd: packages }).map((file) => {
    const manifest = readFileSync(join(packages, dirname(file), '../package.json'), 'utf8');
    return (JSON.parse(manifest) as { name: string }).name;
  });
  let exported: readonly (readonly [inNode: string, byPackage: string])[];
  beforeAll(() => {
    const { printed } =
      run(`const exportsOf = async (name) => Object.keys(await import(name)).join();
      const all = ${JSON.stringify(names)}.map(async (name) => [await exportsOf(name), await exportsOf(name + '/index.js')]);
      console.log(JSON.stringify(await Promise.all(all)));`);
    exported = JSON.parse(printed) as typeof exported;
  });

  test.each(names)('%s: it exports what the package does', (name) => {
    const [inNode, byPackage] = exported[names.indexOf(name)]!;
    expect(inNode).toBe(byPackage);
  });
});
