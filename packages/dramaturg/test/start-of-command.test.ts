import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

/** Short commands start fast because they leave out what they do not need. These are the parts that took longest. */
const command = fileURLToPath(new URL('../bin/dramaturg.js', import.meta.url));
const example = (name: string) =>
  fileURLToPath(new URL(`../../../docs/examples/${name}`, import.meta.url));
const plan = example('customer-intake.plan.json');

const folder = mkdtempSync(join(tmpdir(), 'dramaturg-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

const watcher = join(folder, 'watcher.cjs');
writeFileSync(
  watcher,
  `Intl.ListFormat = class { constructor() { throw new Error('Locale data was loaded.'); } };
process.on('exit', () => {
  const loaded = process.moduleLoadList.filter((name) => name === 'NativeModule child_process');
  const files = Object.keys(require.cache).map((file) => require('node:path').basename(file));
  process.stderr.write(JSON.stringify({ loaded, formats: files.filter((name) => /^(asl|npc|plan|lifecycle|contextGraph|yaml|jsonata|re2js)\\.cjs$/.test(name)) }));
});`,
);

async function loadedBy(...args: string[]): Promise<unknown> {
  const { stderr } = await promisify(execFile)(process.execPath, [
    '--require',
    watcher,
    command,
    ...args,
  ]);
  return JSON.parse(stderr);
}

test('the help loads no format and no module that starts processes', async () => {
  expect(await loadedBy('--help')).toEqual({ loaded: [], formats: [] });
});

test('the check of a plan in JSON loads the format of plans alone, and no locale data', async () => {
  expect(await loadedBy('check', plan)).toEqual({ loaded: [], formats: ['plan.cjs'] });
});

test('the check of a workflow without expressions loads neither JSONata nor regular expressions', async () => {
  expect(await loadedBy('check', example('order.asl.json'))).toEqual({
    loaded: [],
    formats: ['asl.cjs'],
  });
});

test('the check of a workflow with expressions loads JSONata', async () => {
  const file = join(folder, 'double.asl.json');
  const Double = { Type: 'Pass', Output: '{% $states.input.price * 2 %}', End: true };
  const workflow = { QueryLanguage: 'JSONata', StartAt: 'Double', States: { Double } };
  writeFileSync(file, JSON.stringify(workflow));
  expect(await loadedBy('check', file)).toEqual({
    loaded: [],
    formats: ['asl.cjs', 'jsonata.cjs'],
  });
});
