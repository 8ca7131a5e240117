import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serveFolder } from '../../scripts/static-server.ts';
import { chromiumProgram } from '@dramaturg/test-servers';

let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dramaturg a folder with spaces '));
  await cp(join(import.meta.dirname, '../../dist'), join(folder, 'site'), { recursive: true });
  browser = await chromium.launch({ executablePath: chromiumProgram()!, args: ['--no-sandbox'] });
});

afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

test('the site works from a folder without a server: its list, its stories, a conversation', async () => {
  expect(await visit(pathToFileURL(join(folder, 'site')).href)).toEqual([]);
});

test('the site works from a folder of a server', async () => {
  const { url, server } = await serveFolder(folder);
  onTestFinished(() => void server.close());
  expect(await visit(`${url}/site`)).toEqual([]);
});

test('on a narrow screen all panels are in one column', async () => {
  const { url, server } = await serveFolder(folder);
  onTestFinished(() => void server.close());
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
  onTestFinished(() => page.close());
  for (const story of [
    'plans--greeting',
    'plans--strict-against-loose',
    'host--two-instances-for-one-contact',
  ]) {
    await page.goto(`${url}/site/iframe.html?id=${story}&viewMode=story`);
    await page.locator('.wb').waitFor();
    const widths = await page
      .locator('.wb > *:not(output)')
      .evaluateAll((panels) =>
        panels.map((panel) => [panel.className, panel.getBoundingClientRect().width] as const),
      );
    expect(widths.length).toBeGreaterThan(2);
    expect(widths.filter(([, width]) => width !== 390)).toEqual([]);
  }
});

test('a marked name under the pointer shows its diagnostic and its card, from its first letter to its last', async () => {
  const { url, server } = await serveFolder(folder);
  onTestFinished(() => void server.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  onTestFinished(() => page.close());
  await page.goto(`${url}/site/iframe.html?id=playground--anything&viewMode=story`);
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(
    '{ "StartAt": "Fetch", "States": { "Fetch": { "Type": "Pass", "Next": "Nowhere" } } }',
  );
  const name = page.locator('.cm-lintRange', { hasText: '"Nowhere"' });
  await name.waitFor();
  const { width, height } = (await name.boundingBox())!;
  for (const x of [2, width / 2, width - 2]) {
    await name.hover({ position: { x, y: height / 2 } });
    await page.locator('.cm-tooltip-lint').waitFor();
    const card = page.locator('.wb-hover');
    await card.waitFor();
    expect(await card.count()).toBe(1);
    await page.mouse.move(5, 5, { steps: 5 });
    await page.locator('.cm-tooltip-hover').waitFor({ state: 'detached' });
  }
});

/** Opens some pages of a site and holds a conversation. @returns errors, and requests that leave the site */
async function visit(site: string): Promise<readonly string[]> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  const problems = recordProblems(page, site);
  await page.goto(`${site}/index.html`);
  await page.getByRole('button', { name: 'Plans' }).click();
  await page.getByRole('link', { name: 'Greeting', exact: true }).click();
  const frame = page.frameLocator('#storybook-preview-iframe');
  // The page about plans, which contains stories, may have been shown before.
  const story = frame.locator('#storybook-root');
  await story.locator('.dg-statechart[data-status="done"] .dg-state').first().waitFor();
  await story.locator('.dg-conversation[data-turn="person"]').waitFor();
  const field = story.getByRole('textbox', { name: 'Message' });
  await field.fill('Ada');
  await field.press('Enter');
  await story.locator('.dg-deliverables dd', { hasText: 'Ada' }).waitFor();
  await page.getByRole('link', { name: 'About plans' }).click();
  await frame.getByRole('heading', { name: 'Conversation plans' }).waitFor();
  return problems;
}

/** Records errors of a page, and requests that leave the site. */
function recordProblems(page: Page, site: string): string[] {
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (line) => line.type() === 'error' && problems.push(line.text()));
  page.on('requestfailed', (request) => {
    // The browser aborts requests that a page no longer needs.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      problems.push(`failed: ${request.url()}`);
  });
  page.on('request', (request) => {
    const isOurs = request.url().startsWith(site) || /^(data|blob):/.test(request.url());
    if (!isOurs) problems.push(`requested: ${request.url()}`);
  });
  return problems;
}
