import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDesk, rowOf } from './browser.ts';
import { whyNoChromium } from '@dramaturg/test-servers';
import { type Office, openOffice } from './office.ts';

/** A PNG of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

let office: Office;

beforeAll(async () => {
  office = await openOffice();
  for (let index = 1; index <= 5; index += 1)
    await office.begin(`i-${index}`, `+56 9 1111 000${index}`);
  await office.say('+56 9 1111 0003', 'I want a person now');
  await office.say('+56 9 1111 0004', 'Beatriz');
});

afterAll(() => office.close());

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('contacts and texts are searched, and a saved view survives a reload', async () => {
    const page = await openDesk(office.url, 'ana', '/queues/all');
    await rowOf(page, '+56 9 1111 0005').waitFor();
    await page.getByRole('searchbox').fill('Beatriz');
    await expect.poll(() => page.locator('.list-row').count()).toBe(1);
    await rowOf(page, '+56 9 1111 0004').waitFor();
    await page.getByRole('searchbox').fill('1111 0002');
    await rowOf(page, '+56 9 1111 0002').waitFor();
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name of the view').fill('The second');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('link', { name: 'All' }).click();
    await rowOf(page, '+56 9 1111 0005').waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'The second' }).click();
    await expect.poll(() => page.locator('.list-row').count()).toBe(1);
    expect(await page.getByRole('searchbox').inputValue()).toBe('1111 0002');
    await page.getByRole('button', { name: 'Remove the view The second' }).click();
    expect(await page.getByRole('link', { name: 'The second' }).count()).toBe(0);
  });

  test('an image of a contact is shown, and another file is saved', async () => {
    const [image, pdf] = [Buffer.from(pixel, 'base64'), Buffer.from('%PDF-1.7')];
    const attachments = [
      { url: `data:image/png;base64,${image.toString('base64')}`, name: 'referral.png' },
      { url: `data:application/pdf;base64,${pdf.toString('base64')}`, name: 'letter.pdf' },
    ];
    await office.host.receive({ contact: '+56 9 1111 0005', text: '', data: { attachments } });
    const page = await openDesk(office.url, 'ana', '/queues/all');
    await rowOf(page, '+56 9 1111 0005').click();
    const shown = page.getByRole('img', { name: 'referral.png' });
    await shown.waitFor();
    expect(await shown.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save letter.pdf' }).click();
    const path = await (await download).path();
    expect(readFileSync(path)).toEqual(pdf);
  });

  test('filters say who has a conversation', async () => {
    const page = await openDesk(office.url, 'bo', '/queues/all');
    await rowOf(page, '+56 9 1111 0001').click();
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByText('You have this conversation').waitFor();
    await page.getByLabel('Owner').selectOption({ label: 'Mine' });
    await expect.poll(() => page.locator('.list-row').count()).toBe(1);
    await page.locator('.list-row').filter({ hasText: 'you' }).waitFor();
  });

  test('the whole way of a conversation needs no mouse', async () => {
    const page = await openDesk(office.url, 'ana');
    const { keyboard } = page;
    const says = (text: string) => page.getByText(text).first().waitFor();
    await keyboard.press('1');
    await rowOf(page, '+56 9 1111 0003').waitFor();
    await keyboard.press('j');
    await keyboard.press('Enter');
    await says('Nobody has this conversation');
    await keyboard.press('t');
    await says('You write as Ana');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
    await keyboard.type('I am a person.');
    await keyboard.press('Control+Enter');
    await page.getByRole('log').getByText('I am a person.').waitFor();
    await keyboard.press('Escape');
    await keyboard.press('n');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('new-note');
    await keyboard.type('done by keys');
    await keyboard.press('Control+Enter');
    await page.locator('.notes').getByText('done by keys').waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await keyboard.press('h');
    await says('Nobody has this conversation. The agent answers.');
    await keyboard.press('?');
    await page.getByRole('dialog').getByText('take over').waitFor();
    await keyboard.press('Escape');
    await keyboard.press('/');
    await expect
      .poll(() => page.evaluate(() => (document.activeElement as HTMLInputElement).type))
      .toBe('search');
  });

  test('keys do nothing while they are turned off', async () => {
    const page = await openDesk(office.url, 'ana', '/conversations/i-5');
    await page.getByText('Nobody has this conversation').waitFor();
    await page.getByText('Settings', { exact: true }).click();
    await page.getByLabel('Keyboard shortcuts').uncheck();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('t');
    await page.waitForTimeout(300);
    expect((await office.host.get('i-5')).owner).toBeUndefined();
  });
});
