/** Fails when a relative link of a page leads to a file or a heading that does not exist: `npm run check:links`. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { slug } from './site/slug.ts';

const root = join(import.meta.dirname, '..');

const pages = globSync(['*.md', 'docs/**/*.md', '{packages,apps}/**/{README,AGENTS}.md'], {
  cwd: root,
  exclude: (name) => /node_modules|(^|\/)dist($|\/)|fixtures/.test(name),
}).toSorted();

let count = 0;
const dead: string[] = [];
for (const page of pages) {
  for (const link of linksIn(readFileSync(join(root, page), 'utf8'))) {
    count += 1;
    if (!exists(page, link)) dead.push(`${page}: ${link}`);
  }
}

if (dead.length > 0) {
  console.error(dead.join('\n'));
  console.error(`\nlinks: ${dead.length} of ${count} lead nowhere.`);
  process.exitCode = 1;
} else {
  console.log(`links: ${count} in ${pages.length} pages lead somewhere.`);
}

function linksIn(source: string): readonly string[] {
  const text = withoutBlocks(source).replaceAll(/`[^`\n]*`/g, '');
  const found = text.matchAll(/\]\(<?([^)\s>]+)>?\)/g);
  return Array.from(found, ([, link]) => link!).filter((link) => !/^[a-z]+:/i.test(link));
}

function exists(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(root, page) : join(root, dirname(page), decodeURI(path));
  if (!existsSync(target)) return false;
  if (anchor === undefined) return true;
  return statSync(target).isFile() && target.endsWith('.md') && anchorsOf(target).includes(anchor);
}

/** The anchor of a second heading with the same text ends with `-1`. */
function anchorsOf(file: string): readonly string[] {
  const known = new Map<string, number>();
  const headings = withoutBlocks(readFileSync(file, 'utf8')).matchAll(/^#{1,6} (.*)$/gm);
  return Array.from(headings, ([, heading]) => {
    const anchor = slug(heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    const times = known.get(anchor) ?? 0;
    known.set(anchor, times + 1);
    return times === 0 ? anchor : `${anchor}-${times}`;
  });
}

function withoutBlocks(source: string): string {
  return source.replaceAll(/^ *(````*)[^]*?^ *\1 *$/gm, '');
}
