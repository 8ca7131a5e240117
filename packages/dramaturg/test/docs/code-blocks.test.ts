import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { check } from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { blockGlobals, namesOfReaders } from './block-globals.ts';
import { type Block, blocksOf, pagesOf, root, settingOf } from './blocks.ts';
import { mistakesOfCommands } from './commands-in.ts';

/**
 * Every block of code in the pages is read by a machine. Those that a page of its own test runs are read here too. A block that
 * cannot be read says why: `unchecked="reason"`. Pages of diagnostics and the recipes have tests that run all of their blocks.
 */
const blocks = pagesOf(
  '*.md',
  'docs/**/*.md',
  'packages/**/README.md',
  'packages/dramaturg/AGENTS.md',
)
  .filter((page) => !/^docs\/(diagnostics|recipes)\/|^CHANGELOG|^THIRD-PARTY/.test(page))
  .flatMap(blocksOf)
  .filter((block) => settingOf(block, 'unchecked') === undefined);

/** Its sessions are run and compared, and some of them are wrong on purpose. */
const comparedPage = 'docs/cli.md';

const programs = ['js', 'ts', 'tsx', 'html'];
const data = ['json', 'jsonl', 'yaml'];
const commands = ['sh', 'console'];

/** What no test here reads, and why. */
const unread: Readonly<Record<string, string>> = {
  '': 'has no language',
  text: 'is output, a sketch or a text',
  markdown: 'is a page inside of a page',
  mermaid: 'is a drawing',
  lua: 'is a setting of an editor',
  toml: 'is a setting of an editor',
  rust: 'is a part of an extension of an editor',
  sql: 'is run on a real server by the tests of Postgres, and on a file by those of SQLite',
};

test('every block has a language that is known', () => {
  const known = [...programs, ...data, ...commands, ...Object.keys(unread)];
  expect(blocks.filter(({ language }) => !known.includes(language)).map(placeOf)).toEqual([]);
  expect(blocks.length).toBeGreaterThan(200);
});

test('every how-to says which of the two paths it belongs to', () => {
  const way = /^\*\*What you get, (?:with the command|in your program|both ways):\*\* /m;
  const others = pagesOf('docs/how-to/*.md').filter(
    (page) => !way.test(readFileSync(join(root, page), 'utf8')),
  );
  expect(others).toEqual(['docs/how-to/README.md']);
});

test('the code of the pages has the types of the packages', async ({ skip }) => {
  skip(!runsAll);
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-blocks-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  // Files of a page are run by the test of the page, because they import each other.
  const read = blocksIn(programs).filter(
    (block) => block.language === 'html' || settingOf(block, 'file') === undefined,
  );
  await Promise.all(
    read.map((block, index) =>
      writeFile(join(folder, fileOf(block, index)), `${programIn(block)}\nexport {};\n`),
    ),
  );
  const names = namesOfReaders.map((name) => `declare const ${name}: any;`);
  await writeFile(join(folder, 'ours.d.ts'), blockGlobals);
  await writeFile(join(folder, 'readers.d.ts'), names.join('\n'));
  await writeFile(
    join(folder, 'outside.d.ts'),
    "declare module '*.css';\ndeclare module '@aws-sdk/client-s3';\n",
  );
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const printed = await promisify(execFile)(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder],
    { cwd: folder },
  ).then(
    () => '',
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
  expect(read.length).toBeGreaterThan(70);
  expect(printed).toBe('');
});

/** Of a page in HTML, the scripts. A browser has its elements with an id as global variables. */
function programIn({ language, text }: Block): string {
  if (language !== 'html') return text;
  const ids = Array.from(text.matchAll(/\bid="(\w+)"/g), ([, id]) => `declare const ${id}: any;\n`);
  const scripts = Array.from(
    text.matchAll(/<script\b[^>]*>([^]*?)<\/script>/g),
    ([, code]) => code,
  );
  expect(scripts).not.toEqual([]);
  return [...ids, ...scripts].join('');
}

/** Of a program that a reader writes in JavaScript. */
const settings = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    allowJs: true,
    checkJs: true,
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    noImplicitAny: false,
    types: ['node'],
    jsx: 'react-jsx',
  },
  include: ['*'],
};

test('the JSON and YAML of the pages can be read, and its definitions have no errors', () => {
  const mistakes = blocksIn(data).flatMap((block) => {
    const fileName = settingOf(block, 'file') ?? `block.${block.language.replace('jsonl', 'json')}`;
    const found = textsIn(block).map((text) => check(text, { fileName }));
    return found.flatMap(({ format, diagnostics }) =>
      diagnostics
        .filter(({ severity, code }) => severity === 'error' && isMistake(code, format))
        .map(({ code, message }) => `${placeOf(block)} ${code} ${message}`),
    );
  });
  expect(mistakes).toEqual([]);
});

/** A block may have lines of JSON, documents of YAML, or a field without the object around it. */
function textsIn({ language, text }: Block): readonly string[] {
  if (language === 'jsonl') return text.trim().split('\n');
  if (language === 'yaml') return text.split(/^---$/m);
  return [/^"[^"]*":/.test(text) ? `{${text}}` : text];
}

/** Most blocks are not definitions: of those only the syntax counts. Pages also show states without a workflow. */
function isMistake(code: string, format: string | undefined): boolean {
  if (code === 'asl/bare-states') return false;
  return code.startsWith('read/') || (format !== undefined && !code.startsWith('format/'));
}

test('the commands of the pages exist, and have their options and arguments', async () => {
  const mistakes = await Promise.all(
    blocksIn(commands).map(async (block) => {
      if (block.page === comparedPage && block.language === 'console') return [];
      const found = await mistakesOfCommands(block.text);
      return found.map((mistake) => `${placeOf(block)} ${mistake}`);
    }),
  );
  expect(mistakes.flat()).toEqual([]);
});

test('a command that does not exist is found, and so are options and arguments', async () => {
  const text =
    '$ npx dramaturg chek a\nA=1 dramaturg check a --jsn | dramaturg show store id more # no';
  expect(await mistakesOfCommands(text)).toEqual([
    'There is no command "chek".',
    '"check" has no option "--jsn".',
    '"show" takes 2 arguments, not 3.',
  ]);
});

function blocksIn(languages: readonly string[]): readonly Block[] {
  return blocks.filter(({ language }) => languages.includes(language));
}

function placeOf({ page, line }: Block): string {
  return `${page}:${line}`;
}

function fileOf({ page, line, language }: Block, index: number): string {
  const name = `${page.replaceAll(/[^\w]/g, '-')}-${line}-${index}`;
  return `${name}.${language === 'js' ? 'js' : 'tsx'}`;
}
