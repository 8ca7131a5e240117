import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testsIn } from 'dramaturg/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { blocksOf, settingOf } from './blocks.ts';

/** The stories in the pages of the conversation formats. */

const folder = mkdtempSync(join(tmpdir(), 'dramaturg-format-pages-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pages = ['plan', 'npc', 'context-graph'].map((format) => `docs/formats/${format}.md`);
const files = pages.flatMap(blocksOf).flatMap((block) => {
  const file = settingOf(block, 'file');
  return file === undefined ? [] : [{ file, text: block.text }];
});
for (const { file, text } of files) writeFileSync(join(folder, file), text);

const stories = await Promise.all(
  files
    .filter(({ file }) => file.endsWith('.test.yaml'))
    .map(async ({ file }) => ({ file, tests: await testsIn(join(folder, file)) })),
);

describe.each(stories)('$file', ({ tests }) => {
  test.each(tests)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
