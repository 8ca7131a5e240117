import type { BrowserContextOptions, Page } from 'playwright-core';
import { sharedChromium } from '@dramaturg/test-servers';
import { expect, onTestFinished } from 'vitest';
import type { OperatorToken } from './office.ts';

/** Opens another page than the desk, in a browser of its own. */
export async function openPage(url: string): Promise<Page> {
  const context = await (
    await sharedChromium()
  ).newContext({ viewport: { width: 1000, height: 800 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Opens the desk of an operator in a browser of their own. The test fails if the page logs an error or asks another machine. */
export async function openDesk(
  url: string,
  token: OperatorToken | undefined,
  path = '',
  options: BrowserContextOptions = {},
): Promise<Page> {
  const viewport = { width: 1440, height: 900 };
  const context = await (await sharedChromium()).newContext({ viewport, ...options });
  // A browser without windows refuses notifications unasked.
  await context.addInitScript(() =>
    Object.defineProperty(Notification, 'permission', { value: 'default' }),
  );
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    // Some requests are refused on purpose, and browsers log each of them.
    const isExpected = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isExpected) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol) && origin !== url) complaints.push(request.url());
  });
  onTestFinished(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  await page.goto(`${url}/desk${path}`);
  if (token === undefined) return page;
  await page.getByLabel('Your token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.live[data-state="open"]').waitFor({ state: 'attached' });
  return page;
}

/** The count of a queue in the rail. */
export function countOf(page: Page, queue: string) {
  return page.getByRole('navigation').getByRole('link', { name: queue }).locator('.count');
}

/** The row of a contact in the list. */
export function rowOf(page: Page, contact: string) {
  return page.locator('.list-row').filter({ hasText: contact });
}
