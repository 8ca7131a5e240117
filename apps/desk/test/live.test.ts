import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countOf, openDesk, rowOf } from './browser.ts';
import { whyNoChromium } from '@dramaturg/test-servers';
import { type Office, openOffice } from './office.ts';

let office: Office;

beforeEach(async () => {
  office = await openOffice();
});

afterEach(() => office.close());

const contact = '+56 9 1111 1111';

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('after an interruption the page shows what has happened meanwhile', async () => {
    await office.begin('i-1', contact);
    const page = await openDesk(office.url, 'ana', '/conversations/i-1');
    await page.getByRole('log').getByText('What is your name?').waitFor();
    await office.restart(async () => {
      await page.locator('.live[data-state="lost"]').waitFor();
      await office.say(contact, 'I want a person');
    });
    await page.locator('.live[data-state="open"]').waitFor();
    await page.getByRole('log').getByText('I want a person').waitFor();
    await expect.poll(() => countOf(page, 'Needs a person').textContent()).toBe('1');
  });

  test('the row shows a take-over together with the conversation', async () => {
    await office.begin('i-1', contact);
    const page = await openDesk(office.url, 'ana', '/conversations/i-1');
    await rowOf(page, contact).waitFor();
    const now = await page.evaluate(() => Date.now());
    await page.clock.install({ time: now });
    await page.reload();
    await page.locator('.live[data-state="open"]').waitFor({ state: 'attached' });
    await page.clock.runFor(5_000);
    await rowOf(page, contact).waitFor();
    await page.clock.pauseAt(now + 60_000);
    await office.host.takeOver('i-1', { by: 'Bo' });
    const taken = page.getByRole('main').getByText('Bo has this conversation');
    await expect
      .poll(async () => {
        await page.clock.runFor(10);
        return taken.count();
      })
      .toBe(1);
    await rowOf(page, contact).getByText('owner: Bo').waitFor({ state: 'attached' });
  });

  test('an edited line is marked, links can be followed, and only lines of our side have Markdown', async () => {
    await office.begin('i-1', contact);
    for (const [id, text] of [
      ['m-1', '**Ada** https://example.com/a'],
      ['m-2', '**Ada Byron** https://example.com/b'],
    ] as const)
      await office.host.receive({
        contact,
        id,
        text,
        ...(id === 'm-2' && { data: { replaces: 'm-1' } }),
      });
    await office.host.takeOver('i-1', { by: 'Bo' });
    await office.host.intervene('i-1', 'See **this**.', { by: 'Bo' });
    const page = await openDesk(office.url, 'ana', '/conversations/i-1');
    await page.getByRole('log').getByText('this', { exact: true }).waitFor();
    const own = page.locator('.message[data-role="contact"]');
    expect(await own.locator('.message-text').allInnerTexts()).toEqual([
      '**Ada** https://example.com/a',
      '**Ada Byron** https://example.com/b',
    ]);
    const marks = (await own.locator('.message-head').allInnerTexts()).map(
      (head) => head.split(' · ')[1],
    );
    expect(marks).toEqual(['edited later', 'edited']);
    expect(await own.locator('a').first().getAttribute('href')).toBe('https://example.com/a');
    expect(await page.locator('.message[data-role="manual"] strong').allInnerTexts()).toEqual([
      'Bo',
      'this',
    ]);
  });

  test('an act during an interruption is not shown as done, and says what to do', async () => {
    await office.begin('i-1', contact);
    const page = await openDesk(office.url, 'ana', '/conversations/i-1');
    await page.getByText('Nobody has this conversation').waitFor();
    await office.restart(async () => {
      await page.locator('.live[data-state="lost"]').waitFor();
      await page.getByRole('button', { name: 'Take over' }).click();
      await page.getByRole('alert').getByText('The service cannot be reached.').first().waitFor();
    });
    expect(await page.getByText('You write as').count()).toBe(0);
    expect((await office.host.get('i-1')).owner).toBeUndefined();
  });

  test('a text that was not sent stays in its field', async () => {
    await office.begin('i-1', contact);
    const page = await openDesk(office.url, 'ana', '/conversations/i-1');
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByLabel('Message to the contact').fill('Hello');
    await office.host.handBack('i-1', { by: 'Ana' });
    await office.host.takeOver('i-1', { by: 'Bo' });
    await page.getByText('Bo has this conversation until').waitFor();
    await office.host.handBack('i-1', { by: 'Bo' });
    await page.getByRole('button', { name: 'Take over' }).click();
    await expect.poll(() => page.getByLabel('Message to the contact').inputValue()).toBe('Hello');
  });

  test('a notification is asked for by a button, and has no text of the contact; the sound is off', async () => {
    await office.begin('i-1', contact);
    const page = await openDesk(office.url, 'ana', '/queues/needs-person');
    await page.evaluate(() => {
      const shown: string[] = [];
      let permission = 'default';
      class Recorded extends EventTarget {
        static get permission() {
          return permission;
        }
        static requestPermission() {
          permission = 'granted';
          return Promise.resolve(permission);
        }
        constructor(title: string, { body }: { body: string }) {
          super();
          shown.push(`${title}: ${body}`);
        }
        close() {}
      }
      const sounds: number[] = [];
      function Sound() {
        sounds.push(1);
      }
      Object.assign(globalThis, { Notification: Recorded, AudioContext: Sound, shown, sounds });
    });
    // The page asks for its permission when it opens, so it is opened again in place.
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Your token').fill('ana');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Settings', { exact: true }).click();
    await page.getByRole('button', { name: 'Turn on notifications' }).click();
    await page.getByText('Notifications are on').waitFor();
    await expect.poll(() => countOf(page, 'Needs a person').textContent()).toBe('0');
    await office.say(contact, 'I want a person');
    await rowOf(page, '+56 9 1111 1111').waitFor();
    const result = await page.evaluate(() => {
      const { shown, sounds } = globalThis as unknown as { shown: string[]; sounds: number[] };
      return { shown, sounds };
    });
    expect(result).toEqual({
      shown: ['Somebody has to act: 1 conversation needs a person.'],
      sounds: [],
    });
  });

  test('no reminder is sent while an operator has the conversation', async () => {
    await office.begin('i-1', contact);
    const page = await openDesk(office.url, 'ana', '/conversations/i-1');
    expect((await office.host.get('i-1')).dueAt).toBeDefined();
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByText('You write as Ana').waitFor();
    // Without a timer nothing fires, however long the operator has it.
    expect((await office.host.get('i-1')).dueAt).toBeUndefined();
    await page.getByRole('button', { name: 'Hand back' }).click();
    await page.getByText('The agent answers.').waitFor();
    expect((await office.host.get('i-1')).dueAt).toBeDefined();
  });
});
