/** Fails when a relative link of a page leads to a file or a heading that does not exist, or a page names such a file: `npm run check:links`. */
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
  const source = readFileSync(join(root, page), 'utf8');
  for (const link of linksIn(source)) {
    count += 1;
    if (!exists(page, link)) dead.push(`${page}: ${link}`);
  }
  // Recipes name files that they make.
  if (page.startsWith('docs/recipes/')) continue;
  for (const file of filesNamedIn(source)) {
    count += 1;
    if (!existsSync(join(root, file))) dead.push(`${page}: ${file}`);
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

/** Files of the repository in code, such as `packages/compiler/src/words.ts`. */
function filesNamedIn(source: string): readonly string[] {
  const found = withoutBlocks(source).matchAll(/`((?:packages|apps|\.config)\/[\w./-]+\.\w+)`/g);
  return Array.from(found, ([, file]) => file!);
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
