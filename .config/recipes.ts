/**
 * Follows the recipes that CONTRIBUTING.md links to, in docs/recipes, word for word, each in a copy of the repository. These
 * words after the language of a code block say what to do with it; other blocks are only for people:
 *
 *     ts file=packages/a/src/b.ts                  a new file
 *     ts file=packages/a/src/b.ts after="a line"   lines to insert after a line that the file has once
 *     sh run                                       commands that succeed
 *     console                                      commands after `$ `, and what they print
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { copyOfRepository } from './copy-of-repository.ts';
import { inOneLine, type Totals } from './totals.ts';

interface Step {
  readonly language: string;
  readonly attributes: string;
  readonly text: string;
}

const root = join(import.meta.dirname, '..');
const totals: Totals = { passed: 0, failed: 0, skipped: 0, failures: [] };
const pages = process.argv.slice(2);

for (const page of pages.length > 0 ? pages : linkedRecipes()) {
  const text = readFileSync(join(root, page), 'utf8');
  const [title = ''] = text.split('\n', 1);
  follow(title.slice(2), stepsIn(text));
}

for (const failure of totals.failures) console.log(`FAILED ${failure}\n`);
console.log(inOneLine(totals));
mkdirSync(join(root, '.totals'), { recursive: true });
writeFileSync(join(root, '.totals/recipes.json'), `${JSON.stringify(totals)}\n`);
process.exitCode = totals.failed > 0 ? 1 : 0;

function linkedRecipes(): string[] {
  const links = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(
    /\((docs\/recipes\/[\w-]+\.md)\)/g,
  );
  const linked = [...new Set(Array.from(links, ([, page]) => page!))];
  const unlinked = globSync('docs/recipes/*.md', { cwd: root }).filter(
    (page) => !linked.includes(page.replaceAll('\\', '/')),
  );
  for (const page of unlinked) {
    totals.failed += 1;
    totals.failures.push(`${page}\nCONTRIBUTING.md does not link to this recipe.`);
  }
  return linked;
}

/** Code blocks, without the indentation of the list that they are in. */
function stepsIn(page: string): Step[] {
  const blocks = page.matchAll(/^( *)(`{3,})(\w+)(.*)\n([^]*?)^\1\2$/gm);
  return [...blocks].map(([, indent = '', , language = '', attributes = '', text = '']) => ({
    language,
    attributes,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** Follows the steps. The first failure ends the recipe, because later steps build on it. */
function follow(title: string, steps: readonly Step[]): void {
  const copy = copyOfRepository();
  try {
    if (!steps.some(({ attributes }) => attributes.includes('file='))) {
      throw new Error('The recipe has no step that can be followed.');
    }
    for (const step of steps) perform(step, copy);
    totals.passed += 1;
    console.log(`✓ ${title}`);
  } catch (error) {
    totals.failed += 1;
    totals.failures.push(`${title}\n${String(error)}`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function perform({ language, attributes, text }: Step, copy: string): void {
  const file = /file=(\S+)/.exec(attributes)?.[1];
  const after = /after="(.*)"/.exec(attributes)?.[1];
  if (file !== undefined && after !== undefined) insert(join(copy, file), after, text);
  else if (file !== undefined) create(join(copy, file), text);
  else if (language === 'sh' && attributes.trim() === 'run') run(text, copy);
  else if (language === 'console') compare(text, copy);
}

function create(path: string, text: string): void {
  if (existsSync(path)) throw new Error(`The file to create exists already: ${path}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function insert(path: string, after: string, text: string): void {
  const lines = readFileSync(path, 'utf8').split('\n');
  const found = lines.flatMap((line, index) => (line === after ? [index] : []));
  if (found.length !== 1) {
    throw new Error(`${path} has ${found.length} lines like this, and not 1: ${after}`);
  }
  lines.splice(found[0]! + 1, 0, ...text.replace(/\n$/, '').split('\n'));
  writeFileSync(path, lines.join('\n'));
}

function compare(text: string, copy: string): void {
  for (const [, command = '', shown = ''] of text.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
    const printed = run(command, copy);
    if (printed === shown) continue;
    throw new Error(`$ ${command}\nExpected:\n${shown}\nPrinted:\n${printed}`);
  }
}

/** Runs commands in the copy, with its Node. @returns what they print */
function run(commands: string, copy: string): string {
  const path = `${join(copy, 'node_modules/.bin')}${delimiter}${process.env['PATH']}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-ec', commands], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, PATH: path, NO_COLOR: '1', TURBO_TELEMETRY_DISABLED: '1' },
  });
  const printed = stripVTControlCharacters(stdout);
  if (status === 0) return printed;
  throw new Error(`$ ${commands.trim()}\n${printed.slice(-4_000)}${stderr.slice(-4_000)}`);
}
