import { whyNoChromium } from '@dramaturg/test-servers';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { said, visiting, write } from './browser.ts';
import { served, speaking } from './stage.ts';

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds against WCAG 2.2, level AA. */
async function violationsIn(page: Page): Promise<readonly string[]> {
  await page.evaluate(await axeSource);
  const { violations } = (await page.evaluate(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describe.skipIf(whyNoChromium() !== undefined)('appearance', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1_280])
      test(`a conversation is accessible at ${width} px, ${colorScheme}`, async () => {
        const long = `A **long** address: https://example.com/${'x'.repeat(200)}\n\n- \`${'y'.repeat(90)}\`\n\n\`\`\`\n${'z'.repeat(90)}\n\`\`\``;
        const { url, host } = await served({ accent: '#0f766e' }, { ports: speaking(long) });
        const { open } = await visiting({ colorScheme, viewport: { width, height: 700 } });
        const page = await open(url);
        expect(await violationsIn(page)).toEqual([]);
        await write(page, 'Hello\nthere');
        await expect.poll(() => said(page)).toHaveLength(2);
        await page.getByRole('button', { name: 'Edit' }).click();
        expect(await violationsIn(page)).toEqual([]);
        await write(page, 'Hello');
        await expect.poll(() => said(page)).toHaveLength(4);
        const [conversation] = (await host.list()).items;
        await host.intervene(conversation!.id, 'I am a person.');
        await host.pause(conversation!.id);
        await page.route('**/messages', (route) => route.fulfill({ status: 409, body: '{}' }));
        await write(page, 'Refused');
        await expect.poll(() => page.locator('.failed').count()).toBe(1);
        await expect.poll(() => page.locator('.notice').isVisible()).toBe(true);

        expect(await violationsIn(page)).toEqual([]);
        const overflow = 'document.documentElement.scrollWidth - innerWidth';
        expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
        const ground = await page.evaluate(
          'getComputedStyle(document.querySelector("main")).backgroundColor',
        );
        expect(ground).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(22, 24, 29)');
      });

  test('every text comes from the wording', async () => {
    const wording = { title: 'Kundendienst', placeholder: 'Nachricht schreiben', send: 'Senden' };
    const { url } = await served({ wording, language: 'de' });
    const page = await (await visiting()).open(url);

    expect(await page.getByRole('heading').innerText()).toBe('Kundendienst');
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.getByPlaceholder('Nachricht schreiben').fill('Hallo');
    await page.getByRole('button', { name: 'Senden' }).click();
    await expect.poll(() => said(page)).toContain('Hallo');
  });

  test('a page in a language from right to left is mirrored, and each text has its own direction', async () => {
    const { url } = await served({ language: 'ar' }, { ports: speaking('Hello.') });
    const { open } = await visiting({ viewport: { width: 390, height: 700 } });
    const page = await open(url);
    await write(page, 'مرحبا');
    await expect.poll(() => said(page)).toHaveLength(2);
    await page.getByRole('button', { name: 'Edit' }).click();
    const place = async (selector: string) => (await page.locator(selector).boundingBox())!;
    expect((await place('.visitor .bubble')).x).toBeLessThan(195);
    const { x, width } = await place('.visitor .bubble');
    expect((await place('.edit')).x).toBeGreaterThanOrEqual(x + width);
    expect((await place('.agent .avatar')).x).toBeGreaterThan(195);
    const directions = page.locator('.bubble');
    expect(
      await directions.evaluateAll((all) => all.map((each) => getComputedStyle(each).direction)),
    ).toEqual(['rtl', 'ltr']);
    expect(await violationsIn(page)).toEqual([]);
  });

  test('screen readers are told each finished message once', async () => {
    const { url } = await served({}, { ports: speaking('One two three.', 100) });
    const page = await (await visiting()).open(url);
    const heard: string[] = [];
    await page.exposeFunction('hear', (text: string) => heard.push(text));
    await page.evaluate(`new MutationObserver(() => hear(document.querySelector('[aria-live=polite]').textContent))
      .observe(document.querySelector('[aria-live=polite]'), { childList: true, subtree: true, characterData: true })`);
    await write(page, 'Hello');
    await expect.poll(() => said(page)).toHaveLength(2);

    expect(heard).toEqual(['Assistant: One two three.']);
  });
});

test('the launcher and the page are small', async () => {
  const sizeOf = async (name: string) =>
    gzipSync(await readFile(new URL(`../dist/page/${name}`, import.meta.url)), { level: 9 }).length;

  expect(await sizeOf('embed.js')).toBeLessThan(4_000);
  expect((await sizeOf('chat.js')) + (await sizeOf('chat.css'))).toBeLessThan(27_000);
});
