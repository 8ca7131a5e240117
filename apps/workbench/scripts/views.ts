/** Takes the pictures in docs/images/gallery/views: `npm run views --workspace apps/workbench`. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowser } from '../views/browser.ts';
import { openStages } from '../views/stages/all.ts';
import type { View } from '../views/view.ts';
import { takePicture } from '../views/take-picture.ts';

const { values } = parseArgs({
  options: {
    to: {
      type: 'string',
      default: join(import.meta.dirname, '../../../docs/images/gallery/views'),
    },
    only: { type: 'string', multiple: true, default: [''] },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`Takes pictures of 40 views: charts, workbench, inspector, desk, web chat and terminal. Build everything before.

  --to FOLDER   where to write them (docs/images/gallery/views)
  --only TEXT   only views with this text in their name; may be repeated

Example: npm run build && npm run views --workspace apps/workbench -- --only inspector --to /tmp/views`);
  process.exit(0);
}

const isWanted = ({ name }: View) => values.only.some((part) => name.includes(part));
const stages = await openStages();
const browser = await openBrowser();
try {
  mkdirSync(values.to, { recursive: true });
  const names = new Set(stages.views.map(({ name }) => `${name}.png`));
  for (const file of readdirSync(values.to))
    if (file.endsWith('.png') && !names.has(file)) rmSync(join(values.to, file));
  for (const view of stages.views.filter(isWanted)) {
    const begun = performance.now();
    const { png, violations } = await takePicture(browser, view);
    writeFileSync(join(values.to, `${view.name}.png`), png);
    console.log(
      `${view.name} ${Math.round(performance.now() - begun)} ms${violations.map((each) => `\n  ${each}`).join('')}`,
    );
  }
} finally {
  await browser.close();
  await stages.close();
}
