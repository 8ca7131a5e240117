import { whyNoChromium } from '@dramaturg/test-servers';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { dramaturg, examples, folderWith } from '../command.ts';
import { opened } from './browser.ts';
import { inspecting, step } from './inspecting.ts';

const ferry = fileURLToPath(
  new URL('../../../formats/npc/test/fixtures/ferry/ferry.npc.json', import.meta.url),
);

const order = {
  StartAt: 'IsLarge',
  States: {
    IsLarge: {
      Type: 'Choice',
      Choices: [
        { Variable: '$.price', NumericGreaterThan: 100, Next: 'Ask' },
        { Variable: '$.vip', BooleanEquals: true, Next: 'Ask' },
      ],
      Default: 'Send',
    },
    Ask: { Type: 'Approval', Prompt: 'Send it?', End: true },
    Send: { Type: 'Succeed' },
  },
};

/** The first sentences of all actors, over all steps of a run, the last step first. */
async function sentencesOf(page: Page, run: string): Promise<string> {
  await page.locator('.runs .row-name', { hasText: run }).click();
  await expect.poll(() => page.url()).toContain(`#${run}`);
  await page.getByRole('tab', { name: 'Why' }).click();
  await page.locator('h1').click();
  await expect.poll(() => step(page).innerText()).toMatch(/^Step (\d+) of \1\n/);
  const sentences: string[] = [];
  for (;;) {
    const [shown = ''] = (await step(page).innerText()).split('\n');
    sentences.push(...(await page.locator('.why .headline').allInnerTexts()));
    if (shown.startsWith('Step 1 ')) return sentences.join('\n');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => step(page).innerText()).not.toContain(shown);
  }
}

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('each format says in the words of its author why an actor moves or stays', async () => {
    const folder = await folderWith({ 'order.asl.json': JSON.stringify(order) });
    const store = join(folder, 'store');
    const run = async (id: string, definition: string, says: string[], ...more: string[]) => {
      const path = definition.includes('/') ? definition : join(examples, definition);
      await dramaturg(['start', store, path, '--id', id, '--within', '2000', ...more]);
      for (const text of says) await dramaturg(['send', store, id, text]);
    };
    await run(
      'plan',
      'customer-intake.plan.json',
      ['Maria', '4711-B', 'I was charged twice'],
      '--contact',
      'maria',
    );
    await run('flow', join(folder, 'order.asl.json'), [], '--input', '{"price":12,"vip":false}');
    await run('graph', 'check-in.context-graph.yaml', ['hello'], '--contact', 'ana');
    await run('npc', ferry, ['I want to cross'], '--contact', 'bob');
    await run('life', 'parcel.lifecycle.json', []);
    await dramaturg(['send', store, 'life', '--event', '{"type":"pack"}']);
    const page = await opened(await inspecting(store));
    const plan = await sentencesOf(page, 'plan');
    expect(plan).toContain('Stays in Customer Intake: account_number and issue_type are missing');
    expect(plan).toContain('Moves from Customer Intake to Billing Support: issue_type = billing');
    expect(plan).toContain(
      'Stays in Billing Support: invoice_number and disputed_amount are missing',
    );
    expect(await sentencesOf(page, 'flow')).toContain(
      'Moves from IsLarge to Send: $.price is 12, $.vip is false',
    );
    expect(await sentencesOf(page, 'graph')).toMatch(/Stays in welcome: ".+" was chosen/);
    expect(await sentencesOf(page, 'npc')).toMatch(/Stays in On the bank: the verdict is redirect/);
    const life = await sentencesOf(page, 'life');
    expect(life).toContain('Starts in ORDERED');
    expect(life).toContain('Moves from ORDERED to PACKED: on "pack"');
  });
});
