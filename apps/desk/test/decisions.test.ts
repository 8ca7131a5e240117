import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countOf, openDesk } from './browser.ts';
import { whyNoChromium } from '@dramaturg/test-servers';
import { type Office, openOffice } from './office.ts';

let office: Office;

beforeEach(async () => {
  office = await openOffice();
});

afterEach(() => office.close());

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('two approvers decide in their own names, the first with an edit', async () => {
    const input = { input: { amount: 120, name: 'Ada' } };
    await office.host.start('payment', { id: 'p-1', input });
    const ana = await openDesk(office.url, 'ana', '/decisions');
    await ana.getByRole('button', { name: 'Pay 120 euros to Ada?' }).click();
    await ana.getByText('You decide as Ana').waitFor();
    expect(await ana.getByLabel('Your name').count()).toBe(0);
    await ana.getByText('due in 3 h 59 min').first().waitFor();
    await ana.getByRole('button', { name: 'approve' }).click();
    // The form says what is missing before the service is asked.
    await ana.locator('.dg-refused').waitFor();
    await ana.getByLabel('Reason').fill('A receipt is there');
    await ana.getByLabel('amount').fill('100');
    await ana.getByRole('button', { name: 'approve' }).click();
    await ana.getByRole('button', { name: 'Pay 100 euros to Ada?' }).waitFor();

    const bo = await openDesk(office.url, 'bo', '/decisions');
    await bo.getByRole('button', { name: 'Pay 100 euros to Ada?' }).click();
    await bo.getByText('Ana: approve (1 of 2)').waitFor();
    await bo.getByText('Approvals: 1 of 2').waitFor();
    await bo.getByText('A receipt is there').waitFor();
    await bo.getByText('others may decide: Cleo').waitFor();
    await bo.getByText('for you').waitFor();
    await bo.getByLabel('Reason').fill('Fine');
    await bo.getByRole('button', { name: 'approve' }).click();
    await expect.poll(() => countOf(bo, 'Decisions').textContent()).toBe('0');
    await expect
      .poll(async () => (await office.host.get('p-1')).output)
      .toMatchObject({ review: { approval: 'approve' } });
    // The other page learns it by itself.
    await expect.poll(() => countOf(ana, 'Decisions').textContent()).toBe('0');
  });

  test('a person who may not decide is told so', async () => {
    const input = { input: { amount: 120, name: 'Ada' } };
    await office.host.start('payment', { id: 'p-1', input });
    const page = await openDesk(office.url, 'ana', '/decisions');
    await page.getByRole('button', { name: 'Pay 120' }).click();
    await page.getByLabel('Reason').fill('Yes');
    await page.getByRole('button', { name: 'approve' }).click();
    await page.getByText('Ana: approve (1 of 2)').waitFor();
    await page.getByLabel('Reason').fill('Yes again');
    await page.getByRole('button', { name: 'approve' }).click();
    const refusal = page.getByText('somebody else has to decide');
    await expect.poll(() => refusal.count()).toBe(1);
  });

  test('of a list, a part is approved', async () => {
    await office.host.start('parts', { id: 'o-1', input: { input: { parts: ['wheel', 'bell'] } } });
    const page = await openDesk(office.url, 'ana', '/decisions');
    await page.getByRole('button', { name: 'Order which parts?' }).click();
    await page.getByLabel('bell').uncheck();
    await page.getByRole('button', { name: 'approve' }).click();
    await expect
      .poll(async () => (await office.host.get('o-1')).output)
      .toMatchObject({ review: { approved: ['wheel'], rejected: ['bell'] } });
    await page.getByText('Your decision is recorded: approve.').first().waitFor();
  });
});
