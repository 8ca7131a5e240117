import { whyNoChromium } from '@dramaturg/test-servers';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dramaturg, examples } from '../command.ts';
import { greeted, newStore } from '../host-cli/processes.ts';
import { opened } from './browser.ts';
import { inspecting, lit, said, step } from './inspecting.ts';

const small = { viewport: { width: 1280, height: 800 } };

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('an address leads to a step, what was said is found by a key, and a fork is compared with its original', async () => {
    const store = await newStore();
    await greeted(store, 'intake-1');
    await dramaturg(['send', store, 'intake-1', 'Maria']);
    const page = await opened(await inspecting(store, '--allow-send'), small);
    await expect.poll(() => step(page).innerText()).toContain('Step 5 of 5');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.url()).toMatch(/#intake-1\/3$/);
    await page.reload();
    await expect.poll(() => step(page).innerText()).toContain('Step 3 of 5');
    await page.evaluate(() => (location.hash = '#intake-1/2'));
    await expect.poll(() => step(page).innerText()).toContain('Step 2 of 5');
    expect(await step(page).innerText()).toMatch(/\d\d:\d\d:\d\d\.\d{3}/);

    await page.keyboard.press('/');
    await page.keyboard.type('account NUMBER?');
    await page.locator('.find li', { hasText: 'message.sent' }).first().getByRole('button').click();
    await expect.poll(() => step(page).innerText()).toContain('Step 5 of 5');
    await expect.poll(() => lit(page).allInnerTexts()).toEqual(['Identify Customer']);

    await page.locator('h1').click();
    for (const _ of [1, 2, 3]) await page.keyboard.press('ArrowLeft');
    await expect.poll(() => step(page).innerText()).toContain('Step 2 of 5');
    await page.getByRole('button', { name: 'Fork here' }).click();
    await expect.poll(() => page.url()).toMatch(/#intake-1-step-2$/);
    await page.getByRole('tab', { name: 'Talk' }).click();
    await page.getByPlaceholder('Write a message').fill('Ada');
    await page.keyboard.press('Enter');
    await expect.poll(() => said(page).last().innerText()).toBe('What is your account number?');
    await page.getByRole('tab', { name: 'Compare' }).click();
    await page.getByRole('combobox').selectOption('intake-1');
    const marked = page.locator('.compare tr[data-difference]');
    await expect.poll(() => marked.innerText()).toMatch(/Ada[\s\S]*Maria/);
    await page.locator('.runs .row', { hasText: 'intake-1' }).last().click();
    await expect.poll(() => page.url()).toMatch(/#intake-1$/);
  });

  test('events of a lifecycle are buttons, the sequence names the states, the composer says as whom it writes, and all panes fit', async () => {
    const store = await newStore();
    await greeted(store, 'intake-1');
    const parcel = join(examples, 'parcel.lifecycle.json');
    await dramaturg(['start', store, parcel, '--id', 'parcel', '--within', '2000']);
    const page = await opened(await inspecting(store, '--allow-send'), small);
    await page.locator('.runs .row', { hasText: 'intake-1' }).click();
    await expect.poll(() => page.locator('.writer').innerText()).toMatch(/as \S+, the contact/);
    await page.locator('.runs .row', { hasText: 'parcel' }).click();
    const events = page.getByRole('group', { name: /Events of/ });
    await expect.poll(() => events.getByRole('button').allInnerTexts()).toEqual(['pack', 'cancel']);
    await events.getByRole('button', { name: 'pack' }).click();
    await expect.poll(() => lit(page).allInnerTexts()).toEqual(['PACKED']);
    const told = page.locator('.sequence .event em');
    await expect.poll(() => told.allInnerTexts()).toEqual(['→ ORDERED', '→ PACKED']);
    await expect
      .poll(() => events.getByRole('button').allInnerTexts())
      .toEqual(['collect', 'cancel']);
    const isCut = await page.evaluate(
      () =>
        document.documentElement.scrollWidth > innerWidth ||
        document.documentElement.scrollHeight > innerHeight,
    );
    expect(isCut).toBe(false);
  });

  test('panes are resized by dragging and by keys, and keep their sizes', async () => {
    const store = await newStore();
    await greeted(store, 'intake-1');
    const page = await opened(await inspecting(store), small);
    await expect.poll(() => step(page).innerText()).toContain('Step 2 of 2');
    const widthOf = async (selector: string) => (await page.locator(selector).boundingBox())!.width;
    const [nav, details] = [await widthOf('nav'), await widthOf('aside')];
    const border = (await page.getByRole('separator', { name: 'details' }).boundingBox())!;
    await page.mouse.move(border.x + 4, border.y + 300);
    await page.mouse.down();
    await page.mouse.move(border.x - 56, border.y + 300, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => widthOf('aside')).toBe(details + 60);
    await page.getByRole('separator', { name: 'runs and actors' }).press('ArrowRight');
    await expect.poll(() => widthOf('nav')).toBe(nav + 24);
    expect(await step(page).innerText()).toContain('Step 2 of 2');
    await page.reload();
    await expect.poll(() => page.locator('.splitter').count()).toBe(3);
    expect([await widthOf('nav'), await widthOf('aside')]).toEqual([nav + 24, details + 60]);
  });
});
