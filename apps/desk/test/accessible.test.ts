import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDesk } from './browser.ts';
import { whyNoChromium } from '@dramaturg/test-servers';
import { type Office, openOffice } from './office.ts';

let office: Office;

beforeAll(async () => {
  office = await openOffice();
  await office.begin('i-1', '+56 9 1111 0001');
  await office.begin('i-2', '+56 9 1111 0002');
  await office.say('+56 9 1111 0002', 'I want a person');
  await office.begin('i-3', '+56 9 1111 0003');
  await office.say('+56 9 1111 0003', 'please fail');
  await office.host.start('payment', { id: 'p-1', input: { input: { amount: 9, name: 'Ada' } } });
});

afterAll(() => office.close());

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violations of WCAG 2.2 AA that axe finds, as "rule: element". */
async function violations(page: Page): Promise<readonly string[]> {
  // The content policy of the page allows no inline script. This is evaluated by the browser itself.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: typeof Axe };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations: found } = await checker.run(document, { runOnly: tags });
    return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}

/** The page as a screen reader has it, without times, time spans and notices that disappear. */
async function treeOf(page: Page): Promise<string> {
  if ((await page.getByRole('listbox').count()) > 0)
    await page.locator('.list-row').first().waitFor();
  await page.getByText('Loading ...').first().waitFor({ state: 'detached' });
  const tree = await page.locator('body').ariaSnapshot();
  return tree
    .replaceAll(/\b\d+ h \d+ min\b|\b\d+ (?:s|min|h|d)\b/g, '<time span>')
    .replaceAll(/^(\s*- status):.*$/gm, '$1')
    .replaceAll(/\b\d{1,2}:\d{2}(?:\s[AP]M)?/g, '<time>');
}

/** Opens what a narrow page hides behind a button. */
async function reveal(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  if (await button.isVisible()) await button.click();
}

const views: readonly (readonly [
  name: string,
  path: string,
  open?: (page: Page) => Promise<void>,
])[] = [
  ['a queue', '/queues/all', (page) => page.locator('.list-row').first().waitFor()],
  [
    'a failed conversation',
    '/conversations/i-3',
    (page) => page.getByRole('alert').getByText('overloaded').waitFor(),
  ],
  [
    'a conversation that was taken over',
    '/conversations/i-2',
    async (page) => {
      await page.getByRole('button', { name: 'Take over' }).click();
      await page.getByText('You write as').waitFor();
      await page
        .getByRole('option', { name: 'paused', exact: true, includeHidden: true })
        .waitFor({ state: 'attached' });
    },
  ],
  [
    'a chart',
    '/conversations/i-1',
    async (page) => {
      await page.getByText('Nobody has this conversation').waitFor();
      await reveal(page, 'Details');
      await page.getByRole('tab', { name: 'Chart' }).click();
      await page.locator('.react-flow__node').first().waitFor();
    },
  ],
  [
    'the notes',
    '/conversations/i-1',
    async (page) => {
      await page.getByText('Nobody has this conversation').waitFor();
      await reveal(page, 'Details');
      await page.getByRole('tab', { name: 'Notes' }).click();
    },
  ],
  [
    'a decision',
    '/decisions',
    async (page) => {
      await page.getByRole('button', { name: 'Pay 9 euros' }).click();
      await page.getByLabel('Reason').waitFor();
    },
  ],
  [
    'the activity',
    '/activity',
    (page) => page.getByRole('heading', { name: 'Activity' }).waitFor(),
  ],
  [
    'the help',
    '/queues/all',
    async (page) => {
      await reveal(page, 'Open the menu');
      await page.getByRole('button', { name: 'Keyboard help' }).click();
      await page.getByRole('dialog').waitFor();
    },
  ],
  [
    'the settings',
    '/queues/all',
    async (page) => {
      await reveal(page, 'Open the menu');
      await page.getByText('Settings', { exact: true }).click();
    },
  ],
];

/** Undoes what opening a view has changed. */
async function leave(page: Page, name: string): Promise<void> {
  if (!name.includes('taken over')) return;
  await page.getByRole('button', { name: 'Hand back' }).click();
  await page.getByRole('button', { name: 'Take over' }).waitFor();
}

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  for (const [name, path, open] of views)
    test(`${name} has the same tree for a screen reader, and no violation in light and dark colours`, async () => {
      const page = await openDesk(office.url, 'ana', path, { colorScheme: 'light' });
      await open?.(page);
      const file = join(import.meta.dirname, 'trees', `${name.replaceAll(' ', '-')}.txt`);
      const tree = await treeOf(page);
      const light = await violations(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await violations(page);
      await leave(page, name);
      await expect(tree).toMatchFileSnapshot(file);
      expect({ light, dark }).toEqual({ light: [], dark: [] });
    });

  for (const [name, path, open] of views)
    test(`${name} has no violation at 360 pixels`, async () => {
      const viewport = { width: 360, height: 720 };
      const page = await openDesk(office.url, 'ana', path, { colorScheme: 'dark', viewport });
      await open?.(page);
      const found = await violations(page);
      const tooWide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      await leave(page, name);
      expect({ found, tooWide }).toEqual({ found: [], tooWide: 0 });
    });

  test('the form for the token has no violation', async () => {
    const page = await openDesk(office.url, undefined);
    await page.getByLabel('Your token').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('at 360 pixels panes are screens, and nothing is cut off', async () => {
    const page = await openDesk(office.url, 'bo', '/queues/all', {
      viewport: { width: 360, height: 720 },
    });
    const fits = async () => {
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(360);
      expect(await violations(page)).toEqual([]);
    };
    await page.locator('.list-row').first().waitFor();
    await fits();
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('link', { name: 'All' }).waitFor();
    await fits();
    await page.getByRole('link', { name: 'All' }).click();
    await page.locator('.list-row').filter({ hasText: '+56 9 1111 0001' }).click();
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByLabel('Message to the contact').waitFor();
    expect(await page.getByRole('listbox').isVisible()).toBe(false);
    await fits();
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByRole('tab', { name: 'Collected' }).waitFor();
    await fits();
    await page.locator('.side-close').click();
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await page.locator('.list-row').first().waitFor();
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('link', { name: 'Decisions' }).click();
    await page.getByRole('button', { name: 'Pay 9 euros' }).click();
    await page.getByLabel('Reason').waitFor();
    await fits();
  });
});
