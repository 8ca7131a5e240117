import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dramaturg } from './command.ts';

const root = join(import.meta.dirname, '../../..');

test('the program in the README runs as written, in under 20 lines', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const program = /```js\n(.*?)```/s.exec(readme)?.[1] ?? '';
  expect(program.trim().split('\n').filter(Boolean).length).toBeLessThan(20);

  // In this package `dramaturg` is the built package itself, as users install it.
  const file = join(import.meta.dirname, `readme-${process.pid}.mjs`);
  writeFileSync(file, program);
  try {
    const output = execFileSync(process.execPath, [file], { cwd: root, encoding: 'utf8' });
    expect(output).toContain('agent: What is your account number?');
    expect(output).toContain("outcome: 'completed'");
    expect(output).toContain("issue_type: 'technical'");
  } finally {
    rmSync(file);
  }
});

test('what the README shows of a check is what a check prints', () => {
  const fixture = join(root, 'packages/formats/plan/test/fixtures/unknown-target/diagnostics.txt');
  const readme = readFileSync(join(root, 'README.md'), 'utf8').replaceAll(
    'intake.plan.json',
    'greeting.plan.json',
  );
  for (const line of readFileSync(fixture, 'utf8').trim().split('\n')) {
    expect(readme.replaceAll(/ +/g, ' ')).toContain(line.replaceAll(/ +/g, ' '));
  }
});

test('what the README shows of a durable conversation is what the commands print', async () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, session = ''] =
    /<!-- These commands are run by a test. -->\n\n```text\n(.*?)```/s.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = join(folder, 'conversations');
  let printed = '';
  for (const [, words = ''] of session.matchAll(/^\$ npx dramaturg (.*)$/gm)) {
    const args = words.split(' ').map((word) => (word === 'conversations' ? store : word));
    const { stdout, stderr } = await dramaturg(args, { cwd: root });
    printed += `$ npx dramaturg ${words}\n${stdout}${stderr}`;
  }
  expect(printed).toBe(session);
});
