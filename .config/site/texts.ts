import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SiteConfig } from 'vitepress';
import { apiPages } from './api.ts';
import { sidebar } from './sidebar.ts';

/**
 * Writes the Markdown of each page next to it, `llms.txt` with the list of pages, and `llms-full.txt` with the pages of the
 * sidebar.
 */
export function writeTexts({ pages, srcDir, outDir, rewrites, site }: SiteConfig): void {
  const texts = new Map<string, string>();
  const made = new Map(apiPages().map(({ params, content }) => [`api/${params.name}.md`, content]));
  for (const page of pages) {
    const name = rewrites.map[page] ?? page;
    const text = made.get(page) ?? readFileSync(join(srcDir, page), 'utf8');
    texts.set(name, text);
    mkdirSync(dirname(join(outDir, name)), { recursive: true });
    writeFileSync(join(outDir, name), text);
  }
  const groups = sidebar.map(({ text, items }) => {
    const lines = items.map((item) => `- [${item.text}](${site.base}${fileOf(item.link)})`);
    return `## ${text}\n\n${lines.join('\n')}\n`;
  });
  const head = `# ${site.title}\n\n> ${site.description}\n`;
  writeFileSync(join(outDir, 'llms.txt'), [head, ...groups].join('\n'));
  const listed = sidebar.flatMap(({ items }) => items.map(({ link }) => texts.get(fileOf(link))!));
  writeFileSync(join(outDir, 'llms-full.txt'), [head, ...listed].join('\n'));
}

/** Throws when a page is in no group, or a group names a page that does not exist. Pages of diagnostics are in their index. */
export function checkSidebar({ pages, rewrites }: SiteConfig): void {
  const listed = new Set(sidebar.flatMap(({ items }) => items.map(({ link }) => fileOf(link))));
  const found = pages.map((page) => rewrites.map[page] ?? page);
  const problems = [
    ...found
      .filter((page) => !listed.has(page) && !/^diagnostics\/.+\/.+\.md$/.test(page))
      .map((page) => `docs/${page} is in no group of .config/site/sidebar.ts.`),
    ...[...listed]
      .filter((page) => !found.includes(page))
      .map((page) => `.config/site/sidebar.ts names docs/${page}, which does not exist.`),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

function fileOf(link: string): string {
  return `${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.md`;
}
