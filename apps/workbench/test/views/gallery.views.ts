import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { obstacle, openBrowser } from '../../views/browser.ts';
import { comparePictures, differingMax } from '../../views/compare-pictures.ts';
import { openStages } from '../../views/stages/all.ts';
import { takePicture } from '../../views/take-picture.ts';
import type { Stage } from '../../views/view.ts';

/** The small pictures that the views are compared with. */
const stored = join(import.meta.dirname, 'pictures');
const failures = join(import.meta.dirname, '../../.views');
const names = readdirSync(stored)
  .filter((file) => file.endsWith('.png'))
  .map((file) => file.slice(0, -'.png'.length));

const because = obstacle();
if (because !== undefined)
  console.warn(`SKIPPED: the 40 views are not compared, because ${because}.`);

describe.skipIf(because !== undefined)('the views', () => {
  let stages: Stage;
  let browser: Browser;
  let canvas: Page;

  beforeAll(async () => {
    rmSync(failures, { recursive: true, force: true });
    stages = await openStages();
    browser = await openBrowser();
    canvas = await browser.newPage();
  });

  afterAll(async () => {
    await browser?.close();
    await stages?.close();
  });

  test('each view has a picture, and there are 40', () => {
    expect(stages.views.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    expect(names).toHaveLength(40);
  });

  // The names are those of the pictures, because the views are known only when everything is served.
  for (const name of names)
    test(`${name} looks as in its picture, and axe finds no violation`, async () => {
      const view = stages.views.find((each) => each.name === name);
      const { png, violations } = await takePicture(browser, view!);
      expect(violations).toEqual([]);
      const expected = readFileSync(join(stored, `${name}.png`));
      const { differing, picture } = await comparePictures(canvas, expected, png);
      if (differing <= differingMax) return;
      mkdirSync(failures, { recursive: true });
      writeFileSync(join(failures, `${name}.png`), png);
      writeFileSync(join(failures, `${name}-difference.png`), picture);
      expect.fail(
        `${name} has changed in ${differing} squares. Look at apps/workbench/.views/${name}.png and ${name}-difference.png. If the change is wanted, run "npm run views --workspace apps/workbench -- --only ${name}" and commit the small picture.`,
      );
    });
});
