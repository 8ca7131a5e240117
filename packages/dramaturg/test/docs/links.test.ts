import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { slug } from '../../../../.config/site/slug.ts';
import { blocksOf, pagesOf, root } from './blocks.ts';

/** The links of the pages lead to files and headings that exist, in the repository. The build of the site finds dead links there. */
const pages = pagesOf(
  '*.md',
  'docs/**/*.md',
  'packages/**/README.md',
  'packages/dramaturg/AGENTS.md',
);

test('every link of a page leads to a file and a heading that exist', () => {
  const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, link })));
  expect(links.length).toBeGreaterThan(1_000);
  const dead = links.filter(({ page, link }) => !exists(page, link));
  expect(dead.map(({ page, link }) => `${page}: ${link}`)).toEqual([]);
});

test('the anchors of headings are those of GitHub', () => {
  expect(
    ['What `check` does, and "why"', 'MCP & tools', "A person's data", 'dramaturg test-state'].map(
      slug,
    ),
  ).toEqual(['what-check-does-and-why', 'mcp--tools', 'a-persons-data', 'dramaturg-test-state']);
});

test('every code and every sentence on the page of errors is one of ours', () => {
  const files = globSync('packages/{*,channels/*,formats/*}/{src,bin}/**/*.{ts,js}', { cwd: root });
  const sources = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const library = readFileSync(join(root, 'node_modules/commander/lib/command.js'), 'utf8');
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  const [before = '', ...rest] = page.split('## Starting a service');
  const sentences = Array.from(before.matchAll(/^\| `([A-Z][^`]+)`/gm), ([, text]) => text!);
  const codes = Array.from(rest.join('').matchAll(/`([a-z]+\/[a-z-]+)`/g), ([, code]) => code!);
  expect(sentences.length + codes.length).toBeGreaterThan(25);
  const known = (text: string) => sources.includes(text) || library.includes(text.toLowerCase());
  expect([...sentences, ...codes].filter((text) => !known(text))).toEqual([]);
});

function linksOf(page: string): readonly string[] {
  let text = readFileSync(join(root, page), 'utf8');
  for (const { written } of blocksOf(page)) text = text.replace(written, '');
  return Array.from(
    text.replaceAll(/`[^`\n]*`/g, '').matchAll(/\]\(<?([^)\s>]+)>?\)/g),
    ([, link]) => link!,
  ).filter((link) => !/^[a-z]+:/i.test(link));
}

function exists(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(root, page) : join(root, dirname(page), decodeURI(path));
  if (!existsSync(target)) return false;
  if (anchor === undefined) return true;
  return statSync(target).isFile() && target.endsWith('.md') && anchorsOf(target).includes(anchor);
}

function anchorsOf(file: string): readonly string[] {
  const known = new Map<string, number>();
  const headings = readFileSync(file, 'utf8')
    .replaceAll(/^(````*)[^]*?^\1$/gm, '')
    .matchAll(/^#{1,6} (.*)$/gm);
  return Array.from(headings, ([, heading]) => {
    const anchor = slug(heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const count = known.get(anchor) ?? 0;
    known.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}
