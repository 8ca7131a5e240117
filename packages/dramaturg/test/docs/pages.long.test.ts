import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Block, blocksOf, isMarked, pagesOf, root, settingOf } from './blocks.ts';
import { PageSession, registry } from './page-session.ts';

/**
 * Follows the two paths of ten minutes and the how-tos from top to bottom. A block with `file=` is a file, `sh run` are commands that succeed, `sh
 * background` is a command that goes on, and `console` shows what commands print. `sh install` is for `npm run test:packed`, which follows the two paths
 * in empty folders with the packed packages. UPDATE_GOLDEN=1 writes what they print into the pages.
 */
const paths = ['docs/tutorial.md', 'docs/program.md'];
const pages = registry
  ? paths
  : [...paths, ...pagesOf('docs/how-to/*.md').filter((page) => !page.endsWith('README.md'))];

/** They show the state of a store or a file, which a host may still be changing. */
const isReading = /^(cat|npx dramaturg (logs|ps|show|decisions|acts|verify)) /;

const hasCurl = spawnSync('curl', ['--version']).status === 0;

const longestWaitMs = 250_000;
const shownOfLongOutput = 12;

test.for(pages)('%s works as written', async (page, { skip }) => {
  const blocks = blocksOf(page);
  const usesCurl = blocks.some((block) => isMarked(block, 'run') && block.text.includes('curl '));
  skip(usesCurl && !hasCurl, 'curl is not installed.');
  const session = await PageSession.begin({
    examples: blocks.some(({ text }) => /^(\$ )?npx .*docs\/examples\//m.test(text)),
  });
  for (const block of blocks) {
    const file = settingOf(block, 'file');
    if (file !== undefined) await session.write(file, block.text);
    else if (block.language === 'console') await replay(session, block);
    else if (isMarked(block, 'background')) await session.start(commandsIn(block.text)[0]!);
    else if (isMarked(block, 'run') || (registry && isMarked(block, 'install')))
      await succeed(session, block);
  }
  expect(blocks).not.toEqual([]);
});

/** One command a line; a backslash continues it. Comments are for readers. */
function commandsIn(text: string): readonly string[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/ +#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

async function succeed(session: PageSession, { page, line, text }: Block): Promise<void> {
  for (const command of commandsIn(text)) {
    const { code, printed } = await session.run(command);
    expect(code, `${page}:${line}: ${command}\n${printed}`).toBe(0);
  }
}

/** Runs the commands of a block and compares what they print. */
async function replay(session: PageSession, block: Block): Promise<void> {
  const isUpdating = process.env['UPDATE_GOLDEN'] === '1';
  let printed = '';
  for (const [, command = '', shown = ''] of block.text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm))
    printed += `$ ${command}\n${await printedBy(session, { command, shown, isUpdating })}`;
  if (isUpdating && columns(printed) !== columns(block.text)) {
    const path = join(root, block.page);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(block.text, () => printed),
    );
    return;
  }
  expect(columns(printed), `${block.page}:${block.line}`).toBe(columns(block.text));
}

interface Shown {
  readonly command: string;
  readonly shown: string;
  readonly isUpdating: boolean;
}

async function printedBy(session: PageSession, { command, shown, isUpdating }: Shown) {
  const deadline = Date.now() + (isUpdating ? 2_000 : longestWaitMs);
  for (;;) {
    const { printed } = await session.run(command);
    const text = shown.endsWith('...\n') ? beginning(printed) : printed;
    const isDone = !isUpdating && columns(text) === columns(shown);
    if (isDone || !isReading.test(command) || Date.now() > deadline) return text;
    await pause(200);
  }
}

function beginning(printed: string): string {
  return `${printed.split('\n').slice(0, shownOfLongOutput).join('\n')}\n...\n`;
}

/** The width of columns depends on the times in a table. */
function columns(text: string): string {
  return text.replaceAll(/ {2,}/g, '  ').replaceAll(/ +$/gm, '');
}
