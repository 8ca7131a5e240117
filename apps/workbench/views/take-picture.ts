import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type Axe from 'axe-core';
import type { Browser, Locator, Page } from 'playwright';
import { moment } from './moment.ts';
import { heightOf, type View } from './view.ts';

export interface Picture {
  readonly png: Buffer;
  /** What axe finds against WCAG 2.2, level AA, as "rule: element". */
  readonly violations: readonly string[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** How often a view is photographed until two pictures in a row are the same. */
const attemptsMax = 40;

/** Opens a view at a fixed time, without animations, and takes its picture when nothing moves any more. */
export async function takePicture(browser: Browser, view: View): Promise<Picture> {
  const { width, colorScheme } = view;
  const context = await browser.newContext({
    viewport: { width, height: heightOf(view) },
    colorScheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  try {
    // A machine with much else to do takes its time.
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    await page.clock.setFixedTime(moment);
    const part = await view.open(page);
    await page.waitForFunction(isDrawn);
    const png = await stillPicture(page, part ?? page);
    return { png, violations: await violationsIn(page) };
  } finally {
    await context.close();
  }
}

/** Runs in the page: whether all charts have their arrows, and nothing is being loaded. */
function isDrawn(): boolean {
  const charts = [...document.querySelectorAll('.dg-statechart')];
  const isLoading = document.body.innerText.includes('Loading ');
  return (
    !isLoading &&
    charts.every(
      (chart) =>
        chart.matches('[data-status="done"]') && chart.querySelector('.dg-arrow-line') !== null,
    )
  );
}

async function stillPicture(page: Page, part: Page | Locator): Promise<Buffer> {
  await page.evaluate(() => document.fonts.ready);
  const shoot = () => part.screenshot({ animations: 'disabled', caret: 'hide' });
  let last = await shoot();
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    await page.evaluate(
      () => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1_000 })),
    );
    await page.waitForTimeout(100);
    const next = await shoot();
    // Something that is loaded late may have replaced what was drawn.
    if (next.equals(last) && (await page.evaluate(isDrawn))) return next;
    last = next;
  }
  throw new Error(`The view still moves after ${attemptsMax} pictures.`);
}

async function violationsIn(page: Page): Promise<readonly string[]> {
  // Content policies allow no inline script. This is evaluated by the browser itself.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: typeof Axe };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const { violations } = await checker.run(document, { runOnly: tags });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}
