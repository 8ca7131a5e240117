/**
 * Measures the page against a real service with a SQLite store: 10,000 rows that are scrolled, and 200 live conversations.
 * `npm run measure --workspace apps/desk -- --rows 10000 --live 200 --seconds 60`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sqliteStore } from 'dramaturg';
import { chromium, type Page } from 'playwright-core';
import { executable } from '../test/chromium.ts';
import { type Office, openOffice } from '../test/office.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000' },
    live: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
  },
});
const [rows, live, seconds] = [values.rows, values.live, values.seconds].map(Number) as [
  number,
  number,
  number,
];

const folder = mkdtempSync(join(tmpdir(), 'dramaturg-desk-'));
const office = await openOffice({}, sqliteStore(join(folder, 'desk.db')));
const browser = await chromium.launch({
  executablePath: executable!,
  args: ['--no-sandbox', '--enable-precise-memory-info', '--js-flags=--expose-gc'],
});
try {
  await populate(office, rows, live);
  const page = await (
    await browser.newContext({ viewport: { width: 1440, height: 900 } })
  ).newPage();
  await page.goto(`${office.url}/desk/queues/all`);
  await page.getByLabel('Your token').fill('ana');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.list-row').first().waitFor();
  print('first rows after signing in', { ms: Math.round(await sinceNavigation(page)) });
  print('scrolling', await scroll(page));
  print('live', await watchLive(page, office));
} finally {
  await browser.close();
  await office.close();
  rmSync(folder, { recursive: true });
}

/** Conversations that wait, of which the first ones go on writing. */
async function populate({ host }: Office, count: number, writers: number): Promise<void> {
  const at = performance.now();
  for (let index = 0; index < count; index += 1) {
    const id = `i-${index}`;
    // Without a message of the agent, a conversation costs one write.
    await host.start('intake', { id, contact: contactOf(index), input: { opening: 'person' } });
    if (index < writers)
      await host.receive({ contact: contactOf(index), text: 'Hello', id: `${id}-hello` });
  }
  await host.settle({ within: 60_000 });
  print('populating', {
    conversations: count,
    seconds: Math.round((performance.now() - at) / 1_000),
  });
}

/** Scrolls to the end of the list, a screen with each frame, and counts frames. */
async function scroll(page: Page) {
  return page.evaluate(async () => {
    const list = document.querySelector('.list')!;
    const idle: number[] = [];
    for (let before = performance.now(), count = 0; count < 60; count += 1) {
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      idle.push(now - before);
      before = now;
    }
    const frames: number[] = [];
    let last = performance.now();
    let still = 0;
    while (still < 300) {
      const before = list.scrollTop;
      list.scrollTop += 400;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      // At the end of what is loaded, the page waits for the service and draws nothing.
      if (list.scrollTop > before) frames.push(now - last);
      still = list.scrollTop > before ? 0 : still + 1;
      last = now;
    }
    const sorted = frames.toSorted((one, other) => one - other);
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    const height = list.firstElementChild!.getBoundingClientRect().height;
    return {
      rows: height / 36,
      elements: document.querySelectorAll('.list-row').length,
      frames: frames.length,
      idleMedianMs: Math.round(idle.toSorted((one, other) => one - other)[30] ?? 0),
      medianMs: at(0.5),
      p95Ms: at(0.95),
      longestMs: at(1),
    };
  });
}

/** Interactions and memory while conversations go on. */
async function watchLive(page: Page, { host, url }: Office) {
  await page.goto(`${url}/desk/queues/all`);
  await page.locator('.list-row').first().waitFor();
  const stopping = new AbortController();
  let sent = 0;
  const writing = (async () => {
    while (!stopping.signal.aborted) {
      const index = sent % live;
      sent += 1;
      await host
        .receive({ contact: contactOf(index), text: `Message ${sent}`, id: `live-${sent}` })
        .catch(() => {});
      await pause(20);
    }
  })();
  await page.evaluate(observeInteractions);
  const memory: number[] = [];
  const nodes: number[] = [];
  const end = performance.now() + seconds * 1_000;
  for (let round = 0; performance.now() < end; round += 1) {
    await page.locator('.list').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter'])
      await page.keyboard.press(key);
    await page.getByRole('tab', { name: round % 2 === 0 ? 'Notes' : 'Collected' }).click();
    await page.keyboard.press('j');
    await pause(500);
    await page.keyboard.press('Escape');
    if (round % 5 === 0) {
      memory.push(await usedMb(page));
      nodes.push(await page.evaluate(() => document.querySelectorAll('*').length));
    }
  }
  stopping.abort();
  await writing;
  const durations = (await page.evaluate(() => (globalThis as Observed).durations)) ?? [];
  const sorted = durations.toSorted((one, other) => one - other);
  return {
    messages: sent,
    interactions: sorted.length,
    medianMs: sorted[Math.floor(sorted.length / 2)],
    p95Ms: sorted[Math.floor(sorted.length * 0.95)],
    longestMs: sorted.at(-1),
    heapMb: memory,
    elements: nodes,
  };
}

type Observed = typeof globalThis & { durations?: number[] };

/** From a key or a click to the next painted frame, as the browser measures it (Event Timing). */
function observeInteractions(): void {
  const durations: number[] = [];
  (globalThis as Observed).durations = durations;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[])
      if (entry.name === 'keydown' || entry.name === 'click') durations.push(entry.duration);
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}

async function usedMb(page: Page): Promise<number> {
  return page.evaluate(() => {
    (globalThis as { gc?: () => void }).gc?.();
    const { memory } = performance as unknown as { memory: { usedJSHeapSize: number } };
    return Math.round(memory.usedJSHeapSize / 1e5) / 10;
  });
}

function sinceNavigation(page: Page): Promise<number> {
  return page.evaluate(() => performance.now());
}

function contactOf(index: number): string {
  return `+56 9 ${String(10_000_000 + index)}`;
}

function print(what: string, result: object): void {
  process.stdout.write(`${what}: ${JSON.stringify(result)}\n`);
}
