import { whyNoChromium } from '@dramaturg/test-servers';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dramaturg, folderWith } from '../command.ts';
import { opened } from './browser.ts';
import { inspecting, lit } from './inspecting.ts';

const workflow = {
  StartAt: 'Each',
  States: {
    Each: {
      Type: 'Map',
      ItemsPath: '$.topics',
      ResultPath: '$.texts',
      MaxConcurrency: 2,
      Iterator: {
        StartAt: 'Review',
        States: {
          Review: { Type: 'Approval', Prompt: 'Print it?', ResultPath: '$.review', Next: 'Kept' },
          Kept: { Type: 'Pass', End: true },
        },
      },
      Next: 'IsEnough',
    },
    IsEnough: {
      Type: 'Choice',
      Choices: [{ Variable: '$.count', NumericGreaterThan: 2, Next: 'Print' }],
      Default: 'Short',
    },
    Print: { Type: 'Succeed' },
    Short: { Type: 'Fail', Error: 'TooShort', Cause: 'There are fewer than 3 texts' },
  },
};

async function started(input: unknown) {
  const folder = await folderWith({ 'digest.asl.json': JSON.stringify(workflow, null, 2) });
  const store = join(folder, 'store');
  const start = ['start', store, 'digest.asl.json', '--id', 'digest', '--input'];
  await dramaturg([...start, JSON.stringify(input), '--within', '2000'], { cwd: folder });
  return store;
}

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('a Map, its items and their supervisor are drawn when they are picked', async () => {
    const store = await started({ topics: [{ n: 1 }, { n: 2 }, { n: 3 }], count: 1 });
    const page = await opened(await inspecting(store));
    const actor = (name: string) => page.locator('.actors .row', { hasText: name });
    await actor('item 1').click();
    await expect.poll(() => page.locator('.chart h2').innerText()).toMatch(/item 1/i);
    await expect.poll(() => lit(page).allInnerTexts()).toEqual(['Review']);
    await expect
      .poll(() => page.locator('.chart .dg-state-name').allInnerTexts())
      .not.toContain('Each');
    await actor('Each: items').click();
    await expect.poll(() => actor('Each: items').innerText()).toContain('0/3');
    await expect
      .poll(() => page.locator('.chart .dg-state-name').allInnerTexts())
      .toContain('Each');
    await expect.poll(() => lit(page).allInnerTexts()).toEqual(['Review']);
    expect(await page.locator('[role=alert]').count()).toBe(0);
  });

  test('a failure is in the list of runs, the actors, the chart and a banner that leads to its line', async () => {
    const store = await started({ topics: [], count: 1 });
    const page = await opened(await inspecting(store));
    await expect
      .poll(() => page.locator('.failure p').innerText())
      .toMatch(/Failed in Short\s*TooShort\s*There are fewer than 3 texts/);
    await expect.poll(() => page.locator('.runs [data-failed]').count()).toBe(1);
    expect(await page.locator('.actors .dot[data-status=error]').count()).toBe(2);
    await page.locator('.dg-state[data-light=failed]', { hasText: 'Short' }).waitFor();
    await page.getByRole('button', { name: /digest, line \d+/ }).click();
    await expect
      .poll(() => page.locator('.source li[aria-current]').innerText())
      .toContain('"Short": {');
  });
});
