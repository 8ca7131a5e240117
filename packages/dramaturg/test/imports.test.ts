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
