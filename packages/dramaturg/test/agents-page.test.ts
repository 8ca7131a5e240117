import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { dramaturg, folderWith } from './command.ts';

const page = await readFile(new URL('../AGENTS.md', import.meta.url), 'utf8');
const files = Object.fromEntries(
  Array.from(page.matchAll(/^```yaml file=(\S+)\n([^]*?)^```$/gm), ([, name, text]) => [
    name!,
    text!,
  ]),
);

test('the definitions on the page for assistants have no findings, and their tests pass', async () => {
  const cwd = await folderWith(files);
  const names = Object.keys(files);
  const definitions = names.filter((name) => !name.includes('.test.'));
  expect(definitions).toHaveLength(3);
  const checked = await dramaturg(['check', ...definitions, '--verbose', '--json'], { cwd });
  const { files: found } = JSON.parse(checked.stdout) as {
    readonly files: readonly { readonly diagnostics: readonly unknown[] }[];
  };
  expect(found.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
  const tested = await dramaturg(['test', 'intake.test.yaml'], { cwd });
  expect(tested).toMatchObject({ code: 0, stderr: '' });
});

test('the page names commands, formats and exit codes that exist', async () => {
  const { stdout } = await dramaturg(['--help']);
  const commands = Array.from(page.matchAll(/npx dramaturg ([a-z-]+)/g), ([, name]) => name!);
  expect(new Set(commands).size).toBeGreaterThan(5);
  for (const name of commands) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  for (const [, kind] of page.matchAll(/dramaturg new ([a-z]+)/g))
    expect((await dramaturg(['new', kind!], { cwd: await folderWith({}) })).code).toBe(0);
});
