import { defineConfig } from 'vitepress';
import { markdown } from './markdown.ts';
import { checkSearch, miniSearch } from './search.ts';
import { sidebar } from './sidebar.ts';
import { checkSidebar, writeTexts } from './texts.ts';

/** The site of docs. It needs no network: its search runs in the page. */
export default defineConfig({
  title: 'Dramaturg',
  description:
    'Compiles conversation and workflow definitions into XState machines and runs them as durable actors.',
  lang: 'en',
  cleanUrls: true,
  outDir: '../dist/docs',
  cacheDir: '../node_modules/.cache/vitepress',
  // A folder shows its README in the repository, and its index on the site.
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  markdown,
  themeConfig: {
    sidebar: sidebar.map(({ text, collapsed, items }) => ({
      text,
      ...(collapsed === undefined ? {} : { collapsed }),
      items: [...items],
    })),
    outline: [2, 3],
    search: { provider: 'local', options: { miniSearch } },
    nav: [
      { text: 'With the command', link: '/tutorial' },
      { text: 'In your program', link: '/program' },
      { text: 'Reference', link: '/cli' },
      { text: 'Text for assistants', link: '/llms.txt', target: '_blank' },
    ],
  },
  // Its largest chunk is the index of the search, which is loaded when somebody searches.
  vite: { build: { chunkSizeWarningLimit: 3000 } },
  async buildEnd(site) {
    checkSidebar(site);
    writeTexts(site);
    await checkSearch(site.outDir);
  },
});
