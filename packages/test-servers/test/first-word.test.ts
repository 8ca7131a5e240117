import { fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { firstWord } from '../../../.config/first-word.ts';

const pipes = ['ignore', 'pipe', 'pipe'] as const;

test('a child is heard when it prints', async () => {
  const child = spawn(process.execPath, ['-e', "console.log('ready')"], { stdio: [...pipes] });
  expect(await firstWord(child)).toBe('ready');
});

test('a child that ends without a word fails with what it has printed as errors', async () => {
  const program = "console.error('no port is free'); process.exitCode = 3";
  const child = spawn(process.execPath, ['-e', program], { stdio: [...pipes] });
  await expect(firstWord(child)).rejects.toThrow(
    'The process has ended with 3 without a word. no port is free',
  );
});

test.each([
  ["process.send('ready'); process.disconnect()", 'ready'],
  ["throw new Error('no store')", 'no store'],
])('a child with a channel for messages: %s', async (program, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-word-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(folder, 'child.mjs');
  writeFileSync(script, program);
  const child = fork(script, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const word = await firstWord(child).catch((error: unknown) => String(error));
  expect(word).toContain(expected);
});
