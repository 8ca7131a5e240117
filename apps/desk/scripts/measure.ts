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
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { chromiumProgram } from '@dramaturg/test-servers';
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
  executablePath: chromiumProgram()!,
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

/** Milliseconds of the page's own work so far: script, style and layout. Painting is not in it. */
async function workMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics
    .filter(({ name }) => /^(Script|Layout|RecalcStyle)Duration$/.test(name))
    .reduce((sum, { value }) => sum + value * 1_000, 0);
}

/** Scrolls to the end of the list, 11 rows with each frame, and counts frames. */
async function scroll(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const before = await workMs(session);
  const { idle, frames, rows: height, elements } = await page.evaluate(scrollInPage);
  const work = (await workMs(session)) - before;
  return {
    rows: height / 36,
    elements,
    frames: frames.length,
    workMsInFrame: Math.round((work / frames.length) * 10) / 10,
    frameMs: distribution(frames),
    frameMsWithoutScrolling: distribution(idle),
  };
}

async function scrollInPage() {
  const list = document.querySelector('.list')!;
  const frame = async () => {
    const before = performance.now();
    await new Promise(requestAnimationFrame);
    return performance.now() - before;
  };
  const idle: number[] = [];
  while (idle.length < 120) idle.push(await frame());
  const frames: number[] = [];
  for (let still = 0; still < 300;) {
    const before = list.scrollTop;
    list.scrollTop += 400;
    const ms = await frame();
    // At the end of what is loaded, the page waits for the service and draws nothing.
    if (list.scrollTop > before) frames.push(ms);
    still = list.scrollTop > before ? 0 : still + 1;
  }
  const { height } = list.firstElementChild!.getBoundingClientRect();
  return { idle, frames, rows: height, elements: document.querySelectorAll('.list-row').length };
}

function distribution(times: readonly number[]) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return { median: at(0.5), p95: at(0.95), longest: at(1) };
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
  const { durations, processing } = await page.evaluate(() => {
    const { durations: all, processing: own } = globalThis as Observed;
    return { durations: all ?? [], processing: own ?? [] };
  });
  return {
    messages: sent,
    interactions: durations.length,
    untilPaintedMs: distribution(durations),
    processingMs: distribution(processing),
    heapMb: memory,
    elements: nodes,
  };
}

type Observed = typeof globalThis & { durations?: number[]; processing?: number[] };

/** From a key or a click to the next painted frame, as the browser measures it (Event Timing). */
function observeInteractions(): void {
  const durations: number[] = [];
  const processing: number[] = [];
  Object.assign(globalThis, { durations, processing });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[])
      if (entry.name === 'keydown' || entry.name === 'click') {
        durations.push(entry.duration);
        processing.push(entry.processingEnd - entry.processingStart);
      }
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
