import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { obstacle, openBrowser } from '../../views/browser.ts';
import { comparePictures, differingMax, shrinkPicture } from '../../views/compare-pictures.ts';

const page = (body: string) =>
  `<!doctype html><style>body{margin:0;font:13px sans-serif}div{position:absolute;box-sizing:border-box;border:1px solid #3b5bdb}</style>${body}`;
const box = (left: number, colour: string) =>
  `<div style="left:${left}px;top:80px;width:120px;height:44px;background:${colour}">Ask</div>`;
const pane = (left: number) => `<div style="left:${left}px;top:0;width:0;height:400px"></div>`;
const words = (shift: number) =>
  `<p style="padding-left:${shift}px">Which invoice is it about?</p>`;

describe.skipIf(obstacle() !== undefined)('comparing pictures', () => {
  let browser: Browser;
  let canvas: Page;

  beforeAll(async () => {
    browser = await openBrowser();
    canvas = await browser.newPage();
  });
  afterAll(() => browser?.close());

  const pictureOf = async (body: string, height = 400) => {
    const shown = await browser.newPage({ viewport: { width: 600, height } });
    await shown.setContent(page(body));
    const png = await shown.screenshot();
    await shown.close();
    return png;
  };
  const differing = async (before: Buffer, after: Buffer) =>
    (await comparePictures(canvas, await shrinkPicture(canvas, before), after)).differing;

  test('the same picture does not differ, and neither do words that are shifted by a part of a pixel', async () => {
    const before = await pictureOf(words(0) + box(40, '#eef3ff') + pane(300));
    const after = await pictureOf(words(0.4) + box(40, '#eef3ff') + pane(300));
    expect(await differing(before, before)).toBe(0);
    expect(await differing(before, after)).toBeLessThanOrEqual(differingMax);
  });

  test.each([
    ['a box with another soft colour', box(40, '#fff6e0') + pane(300)],
    ['a moved box', box(52, '#eef3ff') + pane(300)],
    ['a missing box', pane(300)],
    ['a pane that is 16 pixels wider', box(40, '#eef3ff') + pane(316)],
  ])('%s differs', async (_, body) => {
    const before = await pictureOf(words(0) + box(40, '#eef3ff') + pane(300));
    expect(await differing(before, await pictureOf(words(0) + body))).toBeGreaterThan(differingMax);
  });

  test('a picture of another size differs everywhere', async () => {
    const [before, after] = [await pictureOf(''), await pictureOf('', 408)];
    expect(await differing(before, after)).toBe((600 / 8) * (408 / 8));
  });
});
