import { whyNoChromium } from '@dramaturg/test-servers';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { dramaturg, examples, folderWith } from '../command.ts';
import { greeted, newStore } from '../host-cli/processes.ts';
import { opened } from './browser.ts';
import { inspecting } from './inspecting.ts';

const counts = (page: Page) => page.locator('.dg-coverage-counts').innerText();
const uncovered = (page: Page) => page.locator('.dg-arrow[data-coverage=uncovered]').count();

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('the chart shows what a run and all runs have reached, and a row selects its arrow', async () => {
    const store = await newStore();
    await greeted(store, 'intake-1');
    await greeted(store, 'intake-2');
    for (const text of ['Maria', '4711-B', 'billing'])
      await dramaturg(['send', store, 'intake-2', text]);
    const page = await opened(`${await inspecting(store)}#intake-1`);
    await page.getByLabel('coverage', { exact: true }).check();
    await expect.poll(() => counts(page)).toMatch(/^\d+ of \d+ states, \d+ of \d+ transit/);
    const ofOne = hits(await counts(page));
    await expect.poll(() => uncovered(page)).toBeGreaterThan(0);

    await page.getByLabel('Coverage of').selectOption('All 2 runs');
    await expect.poll(async () => hits(await counts(page)).states).toBeGreaterThan(ofOne.states);
    expect(hits(await counts(page)).transitions).toBeGreaterThan(ofOne.transitions);

    const row = page.getByRole('region', { name: 'Transitions' }).getByRole('button').first();
    await row.click();
    await expect.poll(() => row.getAttribute('aria-pressed')).toBe('true');
    await expect
      .poll(() => page.locator('[data-highlighted] [data-coverage=uncovered]').count())
      .toBe(1);

    await page.getByLabel('coverage', { exact: true }).uncheck();
    await expect.poll(() => page.locator('.dg-arrow[data-coverage]').count()).toBe(0);
  });

  test('the chart shows the report of tests; of another definition, one sentence', async () => {
    const store = await newStore();
    await greeted(store, 'intake-1');
    const page = await opened(await inspecting(store));
    await page.getByRole('tab', { name: 'Coverage' }).click();
    await page.getByRole('button', { name: 'Show coverage' }).click();
    const folder = await folderWith({});
    const report = async (name: string) => {
      const { stdout } = await dramaturg([
        'test',
        join(examples, `${name}.test.yaml`),
        '--coverage',
        '--json',
      ]);
      const file = join(folder, `${name}.json`);
      await writeFile(file, stdout);
      return file;
    };
    await page.getByLabel('Open a report').setInputFiles(await report('customer-intake'));
    await expect.poll(() => counts(page)).toContain('results of conditions');
    const own = hits(await counts(page));
    expect(own.states).toBeGreaterThan(5);
    await expect
      .poll(() => page.locator('.dg-reach[data-coverage=covered]').count())
      .toBeGreaterThan(0);

    await page.getByLabel('Open a report').setInputFiles(await report('check-in'));
    await expect
      .poll(() => page.locator('.coverage [role=alert]').innerText())
      .toMatch(/^check-in\.json has the coverage of .*check-in\S+, not of this definition\.$/);
    await expect.poll(() => page.locator('.dg-arrow[data-coverage]').count()).toBe(0);
  });
});

/** How many states and transitions were reached. */
function hits(words: string): { readonly states: number; readonly transitions: number } {
  const [states = 0, transitions = 0] = [...words.matchAll(/(\d+) of/g)].map(([, hit]) =>
    Number(hit),
  );
  return { states, transitions };
}
