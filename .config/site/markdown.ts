import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MarkdownOptions, MarkdownRenderer } from 'vitepress';
import { slug } from './slug.ts';

const root = join(import.meta.dirname, '../..');
const docs = join(root, 'docs');

export const markdown: MarkdownOptions = {
  anchor: { slugify: slug },
  toc: { slugify: slug },
  config(renderer) {
    // Vue reads two braces as an expression. Our pages have them only as text.
    for (const name of ['text', 'code_inline'] as const) {
      const render = renderer.renderer.rules[name]!;
      renderer.renderer.rules[name] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
    }
    unlinkSources(renderer);
    // The theme scrolls wide blocks with a fence only.
    renderer.core.ruler.push('indented', ({ tokens }) => {
      for (const token of tokens)
        if (token.type === 'code_block') Object.assign(token, { type: 'fence', info: 'text' });
    });
  },
};

/**
 * The pages link to files of the repository that are not part of the site. There the link becomes its text, which names the
 * file in most cases. A link to a file that does not exist stays, so that the build reports it as dead.
 */
function unlinkSources(renderer: MarkdownRenderer): void {
  renderer.core.ruler.push('sources', ({ tokens, env }) => {
    for (const token of tokens) {
      let isOpen = false;
      for (const child of token.children ?? []) {
        if (child.type === 'link_open') {
          const href = (child.attrGet('href') ?? '').replace(/(^|\/)README\.md/, '$1index.md');
          child.attrSet('href', href);
          isOpen = isSource(href, env.path);
          if (isOpen) child.tag = 'span';
          if (isOpen) child.attrs = [];
        } else if (child.type === 'link_close' && isOpen) {
          child.tag = 'span';
          isOpen = false;
        }
      }
    }
  });
}

function isSource(href: string, page: string): boolean {
  if (/^[a-z]+:|^#|^\//i.test(href)) return false;
  const file = join(dirname(page), decodeURI(href.replace(/#.*$/, '')));
  const isPage = file.endsWith('.md') && !relative(docs, file).startsWith('..');
  return !isPage && existsSync(file);
}
