import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compile, readImports } from '../src/index.ts';
import { dramaturg, folderWith } from './command.ts';

const template = {
  Version: '1.2.0',
  Parameters: { word: { Type: 'string', Default: 'hello' } },
  StartAt: 'Say',
  States: { Say: { Type: 'Pass', Parameters: { said: '{{word}}' }, End: true } },
};

const workflow = (imports: object) =>
  JSON.stringify({
    Imports: imports,
    StartAt: 'Tell',
    States: { Tell: { Type: 'Include', Template: 't', Parameters: { word: 'hi' }, End: true } },
  });

test('what a workflow imports is read from its folder, with what that imports', async () => {
  const folder = await folderWith({ 'w.asl.json': workflow({ t: './parts/t.asl.yaml' }) });
  await mkdir(join(folder, 'parts'));
  const more = { ...template, Imports: { other: '../other.json' } };
  await writeFile(join(folder, 'parts/t.asl.yaml'), JSON.stringify(more));
  await writeFile(join(folder, 'other.json'), '{"StartAt": "A", "States": {}}');
  const file = join(folder, 'w.asl.json');
  expect(await readImports(workflow({ t: './parts/t.asl.yaml' }), file)).toEqual({
    imports: { 'parts/t.asl.yaml': more, 'other.json': { StartAt: 'A', States: {} } },
  });
  expect(await dramaturg(['check', 'w.asl.json'], { cwd: folder })).toMatchObject({ code: 0 });
  const ran = await dramaturg(['run', 'w.asl.json'], { cwd: folder });
  expect(ran.stdout).toContain('"said": "hi"');
  const started = await dramaturg(['start', 'runs', 'w.asl.json', '--id', 'one'], { cwd: folder });
  expect(started).toMatchObject({ code: 0, stdout: '✓ one: COMPLETED\n' });
});

test('nothing outside of the folder is read, whatever a path or a link says', async () => {
  const outside = await folderWith({ 'secret.asl.json': JSON.stringify(template) });
  const folder = await folderWith({});
  await symlink(join(outside, 'secret.asl.json'), join(folder, 'link.asl.json'));
  await symlink(outside, join(folder, 'door'));
  const sources = [
    './link.asl.json',
    './door/secret.asl.json',
    '../x/secret.asl.json',
    join(outside, 'secret.asl.json'),
    'https://127.0.0.1:1/secret.asl.json',
    'file:///etc/passwd',
  ];
  for (const source of sources) {
    const text = workflow({ t: source });
    const fileName = join(folder, 'w.asl.json');
    const options = await readImports(text, fileName);
    expect(options).toEqual({ imports: {} });
    expect(compile(text, { fileName, options }).diagnostics).toMatchObject([
      { code: 'asl/bad-import' },
    ]);
  }
});

test('a text that imports nothing has no option', async () => {
  expect(await readImports('{"states": []}', 'x.plan.json')).toEqual({});
  expect(await readImports('no JSON {', 'x.json')).toEqual({});
});

test('a graph is checked, explored and changed with the graphs beside it that it refers to', async () => {
  const speaks = {
    type: 'action',
    objective: 'Talk',
    actions: ['Talk'],
    intra_state_navigation_guidelines: [],
    action_guidelines: [],
    boundary_constraints: [],
  };
  const graph = (name: string, exit: object) => ({
    new_user_initial_state: name,
    returning_user_initial_state: name,
    terminal_state: 'end',
    references: {},
    states: {
      [name]: { ...speaks, exit_conditions: [{ description: 'All is said', ...exit }] },
      end: { ...speaks, exit_conditions: [] },
    },
  });
  const desk = graph('open', { next_state: ['intake.ask', 'end'] });
  const folder = await folderWith({
    'desk.context-graph.json': JSON.stringify({
      ...desk,
      references: { intake: ['a'.repeat(24), 1] },
    }),
    'intake.context-graph.yaml': JSON.stringify({
      ...graph('ask', { next_state: ['spell.word', 'end'] }),
      references: { spell: ['b'.repeat(24), 1] },
    }),
    'spell.context-graph.json': JSON.stringify(graph('word', { next_state: 'end' })),
  });
  const run = (...args: readonly string[]) => dramaturg(args, { cwd: folder });
  expect(await run('check', 'desk.context-graph.json')).toMatchObject({ code: 0 });
  const out = ['--out', 'desk.test.yaml', '--mutate', '20'];
  const found = await run('explore', 'desk.context-graph.json', ...out);
  expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining(': 100 %') });
  expect(found.stdout).not.toContain('0 of 0 mistakes');
  expect(await run('test')).toMatchObject({ code: 0 });
});
