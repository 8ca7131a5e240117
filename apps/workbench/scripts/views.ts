/**
 * Takes the small pictures that the tests compare the views with: `npm run views --workspace apps/workbench`. With `--to`, takes them in full.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowser } from '../views/browser.ts';
import { openStages } from '../views/stages/all.ts';
import type { View } from '../views/view.ts';
import { shrinkPicture } from '../views/compare-pictures.ts';
import { takePicture } from '../views/take-picture.ts';

const { values } = parseArgs({
  options: {
    to: { type: 'string' },
    only: { type: 'string', multiple: true, default: [''] },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`Takes pictures of 40 views: charts, workbench, inspector, desk, web chat and terminal. Build everything before.

  --to FOLDER   writes them in full there, instead of the small ones for the tests
  --only TEXT   only views with this text in their name; may be repeated

Example: npm run build && npm run views --workspace apps/workbench -- --only inspector --to /tmp/views`);
  process.exit(0);
}

const folder = values.to ?? join(import.meta.dirname, '../test/views/pictures');
const isWanted = ({ name }: View) => values.only.some((part) => name.includes(part));
const stages = await openStages();
const browser = await openBrowser();
try {
  const canvas = await browser.newPage();
  mkdirSync(folder, { recursive: true });
  const names = new Set(stages.views.map(({ name }) => `${name}.png`));
  for (const file of readdirSync(folder))
    if (file.endsWith('.png') && !names.has(file)) rmSync(join(folder, file));
  for (const view of stages.views.filter(isWanted)) {
    const begun = performance.now();
    const { png, violations } = await takePicture(browser, view);
    const kept = values.to === undefined ? await shrinkPicture(canvas, png) : png;
    writeFileSync(join(folder, `${view.name}.png`), kept);
    console.log(
      `${view.name} ${Math.round(performance.now() - begun)} ms${violations.map((each) => `\n  ${each}`).join('')}`,
    );
  }
} finally {
  await browser.close();
  await stages.close();
}
