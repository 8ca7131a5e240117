import type { BrowserContextOptions, Page } from 'playwright-core';
import { sharedChromium } from '@dramaturg/test-servers';
import { expect, onTestFinished } from 'vitest';

/** Opens an address in a page. The test fails if the page logs an error or sends a request to another machine. */
export async function opened(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await (
    await sharedChromium()
  ).newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const strangers: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Some tests stop the host, and browsers log every failed request.
    const isExpected = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isExpected) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && hostname !== '127.0.0.1')
      strangers.push(request.url());
  });
  onTestFinished(async () => {
    await context.close();
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] });
  });
  await page.goto(url);
  return page;
}

interface Box {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The elements of the drawn chart that overlap and should not. */
export async function overlaps(page: Page): Promise<readonly string[]> {
  const boxesOf = (selector: string): Promise<Box[]> =>
    page.locator(selector).evaluateAll((elements) =>
      elements.map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return { id: element.getAttribute('data-id') ?? element.textContent, x, y, width, height };
      }),
    );
  const nodes = await boxesOf('.react-flow__node-state');
  const labels = await boxesOf('.dg-label-box');
  expect(nodes.length).toBeGreaterThan(1);
  const found: string[] = [];
  for (const [index, one] of nodes.entries())
    for (const other of nodes.slice(index + 1))
      if (touch(one, other) && !holds(one, other) && !holds(other, one))
        found.push(`${one.id} and ${other.id}`);
  for (const [index, label] of labels.entries()) {
    for (const node of nodes)
      if (touch(label, node) && !holds(node, label)) found.push(`label ${index} and ${node.id}`);
    for (const [place, other] of labels.slice(index + 1).entries())
      if (touch(label, other)) found.push(`label ${index} and label ${index + 1 + place}`);
  }
  return found;
}

const tolerance = 1;

function touch(one: Box, other: Box): boolean {
  return (
    one.x + one.width - tolerance > other.x &&
    other.x + other.width - tolerance > one.x &&
    one.y + one.height - tolerance > other.y &&
    other.y + other.height - tolerance > one.y
  );
}

function holds(outer: Box, inner: Box): boolean {
  return (
    outer.x <= inner.x + tolerance &&
    outer.y <= inner.y + tolerance &&
    outer.x + outer.width >= inner.x + inner.width - tolerance &&
    outer.y + outer.height >= inner.y + inner.height - tolerance
  );
}
