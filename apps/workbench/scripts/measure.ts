/** Measures when the first story of the static build can be used, and how much script it loads until then. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright';
import { chromiumProgram } from '@dramaturg/test-servers';
import { serveFolder } from './static-server.ts';

const { values } = parseArgs({
  options: {
    story: { type: 'string', default: 'plans--greeting' },
    runs: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`Opens a story of the static build in a browser with an empty cache.

  --story ID   the story to open (plans--greeting)
  --runs N     the number of runs; the median counts (5)
  --json       print one JSON value

Example: npm run build && npm run measure --workspace apps/workbench`);
  process.exit(0);
}

const dist = join(import.meta.dirname, '../dist');
if (!existsSync(dist)) throw new Error('There is no static build. Run "npm run build" first.');
const executablePath = browserPath();

/** Scripts that are loaded when a chart is drawn and when the editor opens. */
const laterParts = /elk|code-editor/;
/** Scripts that every Storybook loads. */
const storybookParts = /^(iframe|vite-inject-mocker|chunk|preview)-/;

const { url, server } = await serveFolder(dist);
const runs = [];
for (let run = 0; run < Number(values.runs); run += 1) runs.push(await openCold());
server.close();

const median = runs.toSorted((one, other) => one.milliseconds - other.milliseconds)[
  Math.floor(runs.length / 2)
]!;
const { scripts } = median;
const partOf = (name: string) =>
  laterParts.test(name) ? 'later' : storybookParts.test(name) ? 'storybook' : 'story';
const parts = (wanted: ReturnType<typeof partOf>) =>
  scripts.filter(({ name }) => partOf(name) === wanted);
const kilobytes = (part: typeof scripts) =>
  Math.round(part.reduce((sum, { gzip }) => sum + gzip, 0) / 1000);

const result = {
  story: values.story,
  'ms until the person can answer': Math.round(median.milliseconds),
  'ms until the chart is drawn': Math.round(median.drawn),
  'kB of script of the story, gzip': kilobytes(parts('story')),
  'kB of Storybook itself, gzip': kilobytes(parts('storybook')),
  'kB of layout engine and editor, gzip': kilobytes(parts('later')),
};
if (values.json) console.log(JSON.stringify({ ...result, scripts }));
else {
  console.table(result);
  console.table(
    parts('story')
      .toSorted((one, other) => other.gzip - one.gzip)
      .slice(0, 12),
  );
}

function browserPath(): string {
  const path = chromiumProgram();
  if (path === undefined) throw new Error('There is no Chromium on this machine.');
  return path;
}

/** Opens the story in a new browser, so that all caches are empty. */
async function openCold() {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage();
  const names = new Set<string>();
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.endsWith('.js')) names.add(pathname);
  });
  const start = performance.now();
  await page.goto(`${url}/iframe.html?id=${values.story}&viewMode=story`);
  await page.waitForSelector('.dg-conversation[data-turn="person"] textarea:enabled');
  const milliseconds = performance.now() - start;
  await page.waitForSelector('.dg-statechart[data-status="done"]');
  const drawn = performance.now() - start;
  await page.waitForSelector('.cm-content');
  await browser.close();
  const sizes = Array.from(names, (name) => ({
    name: basename(name),
    gzip: gzipSync(readFileSync(join(dist, name))).length,
  }));
  return { milliseconds, drawn, scripts: sizes };
}
