import type { BrowserContextOptions, Page } from 'playwright-core';
import { sharedChromium } from '@dramaturg/test-servers';
import { expect, onTestFinished } from 'vitest';

/**
 * Opens a browser of one visitor. The test fails if a page logs an error or sends a request to another machine.
 *
 * @param expected errors that the test is about
 */
export async function visiting(options: BrowserContextOptions = {}, expected = /^$/) {
  const context = await (
    await sharedChromium()
  ).newContext({ viewport: { width: 1_000, height: 800 }, locale: 'en-GB', ...options });
  const complaints = new Set<string>();
  context.on('weberror', (error) => complaints.add(error.error().message));
  context.on('console', (message) => {
    // Some tests stop the host, and browsers log every failed request.
    const isExpected = /^Failed to load resource|ERR_|was loaded over/.test(message.text());
    if (message.type() === 'error' && !isExpected && !expected.test(message.text()))
      complaints.add(message.text());
  });
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:' && hostname !== '127.0.0.1' && hostname !== 'localhost')
      complaints.add(`A request to ${request.url()}`);
  });
  onTestFinished(async () => {
    await context.close();
    expect([...complaints]).toEqual([]);
  });
  const open = async (url: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  return { context, open };
}

/** Writes a message, as a person does. */
export async function write(page: Pick<Page, 'getByPlaceholder'>, text: string): Promise<void> {
  const field = page.getByPlaceholder('Write a message');
  await field.fill(text);
  await field.press('Enter');
}

/** The texts of the messages, in their order. */
export function said(page: Pick<Page, 'locator'>): Promise<string[]> {
  return page.locator('.row:not(.draft) .bubble:not(.typing)').allInnerTexts();
}
