import type { BrowserContextOptions, Page } from 'playwright-core';
import { whyNoChromium } from '@dramaturg/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countOf, openDesk, rowOf } from './browser.ts';
import { type Office, openOffice } from './office.ts';

/** The day of two operators whose office has this many conversations. The reporter says how long each task takes. */
const conversations = 500;

const contactOf = (index: number) => `+56 9 ${String(1_000_000 + index)}`;
const idOf = (index: number) => `i-${index}`;

interface Task {
  readonly does: string;
  /** The path that the first operator begins at. */
  readonly at: string;
  readonly options?: BrowserContextOptions;
  readonly run: (ana: Page, bo: Page) => Promise<void>;
}

let office: Office;

const message = (page: Page) => page.getByLabel('Message to the contact');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

async function takeOver(page: Page): Promise<void> {
  await button(page, 'Take over').click();
  await says(page, /^You write as/);
}

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('searchbox').fill(text);
  await expect.poll(() => page.locator('.list-row').count()).toBe(1);
}

const tasks: readonly Task[] = [
  {
    does: 'finds a contact by number and a conversation by its words',
    at: '/queues/all',
    run: async (ana) => {
      await search(ana, contactOf(437));
      await rowOf(ana, contactOf(437)).waitFor();
      await search(ana, 'umbrella in tram 12');
      await rowOf(ana, contactOf(77)).waitFor();
    },
  },
  {
    does: 'takes a conversation over, and the other operator sees it',
    at: '/conversations/i-10',
    run: async (ana, bo) => {
      await takeOver(ana);
      await bo.goto(`${office.url}/desk/conversations/i-10`);
      await says(bo, 'Ana has this conversation until');
    },
  },
  {
    does: 'answers by hand',
    at: '/conversations/i-10',
    run: async (ana) => {
      await message(ana).fill('Hello, this is Ana.');
      await button(ana, 'Send').click();
      await ana.getByRole('log').getByText('Hello, this is Ana.').waitFor();
      expect(office.delivered.at(-1)).toEqual({
        contact: contactOf(10),
        text: 'Hello, this is Ana.',
      });
    },
  },
  {
    does: 'hands a conversation back to the agent',
    at: '/conversations/i-10',
    run: async (ana) => {
      await button(ana, 'Hand back').click();
      await says(ana, 'Nobody has this conversation. The agent answers.');
    },
  },
  {
    does: 'decides, and the other operator sees the approval',
    at: '/decisions',
    run: async (ana, bo) => {
      await ana.getByRole('button', { name: 'Pay 120 euros to Ada?' }).click();
      await ana.getByLabel('Reason').fill('A receipt is there');
      await ana.getByRole('button', { name: 'approve' }).click();
      await bo.goto(`${office.url}/desk/decisions`);
      await bo.getByRole('button', { name: 'Pay 120 euros to Ada?' }).click();
      await says(bo, 'Ana: approve (1 of 2)');
    },
  },
  {
    does: 'looks up what was collected, and where the conversation is',
    at: '/conversations/i-77',
    run: async (ana) => {
      await ana.getByRole('tabpanel').getByText('umbrella in tram 12').waitFor();
      await ana.getByRole('tab', { name: 'Chart' }).click();
      await ana.locator('.dg-state[data-light="current"]').first().waitFor();
    },
  },
  {
    does: 'assigns a conversation to a colleague, who has it',
    at: '/conversations/i-11',
    run: async (ana, bo) => {
      await ana.getByLabel('Name of the colleague').fill('Bo');
      await button(ana, 'Assign').click();
      await says(ana, 'Bo has this conversation until');
      await bo.goto(`${office.url}/desk/conversations/i-11`);
      await says(bo, /^You write as Bo/);
    },
  },
  {
    does: 'reads why a run failed, and follows its link to the inspector',
    at: '/queues/failed',
    run: async (ana) => {
      await rowOf(ana, 'o-1').click();
      const failure = ana.locator('.failure');
      await expect.poll(() => failure.textContent()).toContain('Failed in Ship: No van is free.');
      expect(await failure.getByRole('link', { name: 'Inspect' }).getAttribute('href')).toMatch(
        /#o-1$/,
      );
    },
  },
  {
    does: 'retries a failed run',
    at: '/conversations/o-1',
    run: async (ana) => {
      office.repair();
      await ana.locator('.failure').getByRole('button', { name: 'Retry' }).click();
      await says(ana, 'It has ended.');
      await expect.poll(() => ana.locator('.failure').count()).toBe(0);
    },
  },
  {
    does: 'sees which conversations are unread, and each operator has their own marks',
    at: '/queues/needs-person',
    run: async (ana, bo) => {
      const mark = (page: Page) => rowOf(page, contactOf(1)).getAttribute('data-unread');
      await bo.goto(`${office.url}/desk/queues/needs-person`);
      await expect.poll(() => mark(ana)).toBe('true');
      await rowOf(ana, contactOf(1)).click();
      await expect.poll(() => mark(ana)).toBeNull();
      await rowOf(bo, contactOf(1)).waitFor();
      expect(await mark(bo)).toBe('true');
    },
  },
  {
    does: 'finds a conversation whose claim has run out among those that need a person',
    at: '/queues/needs-person',
    run: async (ana) => {
      await office.host.takeOver(idOf(2), { by: 'Cleo', forMs: 1_000 });
      const row = rowOf(ana, contactOf(2));
      await row.getByText('owner: Cleo').waitFor({ state: 'attached' });
      await row.getByText('owner: Cleo').waitFor({ state: 'detached' });
      await row.click();
      await takeOver(ana);
    },
  },
  {
    does: 'answers on a telephone, where nothing is cut off',
    at: '/queues/needs-person',
    options: { viewport: { width: 360, height: 720 }, hasTouch: true },
    run: async (ana) => {
      await rowOf(ana, contactOf(3)).tap();
      await button(ana, 'Take over').tap();
      await message(ana).fill('From the train.');
      await button(ana, 'Send').tap();
      await ana.getByRole('log').getByText('From the train.').waitFor();
      expect(await ana.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      await button(ana, 'Back to the list').tap();
      await ana.getByRole('listbox').waitFor();
    },
  },
  {
    does: 'answers by keyboard alone',
    at: '/queues/all',
    run: async (ana) => {
      await rowOf(ana, contactOf(1)).waitFor();
      await ana.keyboard.press('1');
      await rowOf(ana, contactOf(4)).waitFor();
      await ana.keyboard.press('/');
      await ana.keyboard.type(contactOf(4));
      await expect.poll(() => ana.locator('.list-row').count()).toBe(1);
      await ana.keyboard.press('Enter');
      await ana.keyboard.press('j');
      await ana.keyboard.press('Enter');
      await says(ana, 'it needs a person');
      await ana.keyboard.press('t');
      await says(ana, 'You write as Ana');
      await expect.poll(() => ana.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
      await ana.keyboard.type('By keys.');
      await ana.keyboard.press('Control+Enter');
      await ana.getByRole('log').getByText('By keys.').waitFor();
    },
  },
  {
    does: 'gets a conversation alone when both take it at once',
    at: '/conversations/i-12',
    run: async (ana, bo) => {
      await bo.goto(`${office.url}/desk/conversations/i-12`);
      await button(bo, 'Take over').waitFor();
      await Promise.all([ana, bo].map((page) => button(page, 'Take over').click()));
      await expect.poll(async () => (await office.host.get(idOf(12))).owner).toBeDefined();
      const { owner } = await office.host.get(idOf(12));
      const [winner, loser] = owner!.by === 'Ana' ? [ana, bo] : [bo, ana];
      await says(winner, `You write as ${owner!.by}`);
      await says(loser, `${owner!.by} has this conversation until`);
      expect(await message(loser).count()).toBe(0);
    },
  },
  {
    does: 'reads times of their own time zone',
    at: '/conversations/i-10',
    options: { timezoneId: 'Asia/Kolkata' },
    run: async (ana) => {
      const time = ana.getByRole('log').locator('time').first();
      const local = new Intl.DateTimeFormat('en', {
        hour: '2-digit',
        minute: '2-digit',
        timeZone: 'Asia/Kolkata',
      });
      const at = await time.getAttribute('datetime');
      expect(await time.textContent()).toContain(local.format(new Date(at!)));
    },
  },
  {
    does: 'reads notices that cover nothing',
    at: '/conversations/i-13',
    run: async (ana) => {
      await takeOver(ana);
      await says(ana, 'You have the conversation. The agent is paused.');
      const notice = (await ana.locator('.notices').boundingBox())!;
      const covered = await Promise.all(
        [
          message(ana),
          button(ana, 'Hand back'),
          ana.getByRole('heading', { name: contactOf(13) }),
        ].map((each) => each.boundingBox()),
      );
      for (const box of covered) {
        const isApart = notice.y >= box!.y + box!.height || notice.y + notice.height <= box!.y;
        const isBeside = notice.x >= box!.x + box!.width || notice.x + notice.width <= box!.x;
        expect(isApart || isBeside).toBe(true);
      }
    },
  },
  {
    does: 'keeps the row of a conversation that they take and answer',
    at: '/queues/needs-person',
    run: async (ana) => {
      const row = rowOf(ana, contactOf(5));
      await row.click();
      await takeOver(ana);
      await message(ana).fill('A person reads this.');
      await button(ana, 'Send').click();
      await ana.getByRole('log').getByText('A person reads this.').waitFor();
      expect(await row.getAttribute('aria-selected')).toBe('true');
    },
  },
  {
    does: 'reads the last words of the contact, and a state in words, in a row',
    at: '/queues/needs-person',
    run: async (ana) => {
      const row = rowOf(ana, contactOf(6));
      await row.getByText('I want a person').waitFor();
      expect(await row.locator('.cell-state').textContent()).not.toMatch(/_|WAITING|HUMAN/);
    },
  },
  {
    does: 'opens the next row with Enter after j and k',
    at: '/queues/all',
    run: async (ana) => {
      await ana.locator('.list-row').first().waitFor();
      await ana.keyboard.press('j');
      await ana.keyboard.press('j');
      await ana.keyboard.press('k');
      await ana.keyboard.press('Enter');
      await expect.poll(() => new URL(ana.url()).pathname).toContain('/conversations/');
    },
  },
  {
    does: 'reaches the last of all conversations by keys, and only rows in view are elements',
    at: '/queues/all',
    run: async (ana) => {
      const count = countOf(ana, 'All');
      await expect
        .poll(async () => Number(await count.textContent()))
        .toBeGreaterThanOrEqual(conversations);
      const last = ana.locator(`.list-row[aria-posinset="${await count.textContent()}"]`);
      await ana.getByRole('listbox').focus();
      await expect
        .poll(async () => {
          await ana.keyboard.press('End');
          return last.count();
        })
        .toBe(1);
      expect(await ana.locator('.list-row').count()).toBeLessThan(60);
    },
  },
];

describe.skipIf(whyNoChromium() !== undefined)('an operator', () => {
  beforeAll(async () => {
    office = await openOffice({ inspector: 'http://127.0.0.1:1/?token=t' });
    for (let index = 1; index <= conversations; index += 1)
      await office.host.start('intake', {
        id: idOf(index),
        contact: contactOf(index),
        channel: 'web',
      });
    await office.atRest(120_000);
    for (let index = 1; index <= 6; index += 1)
      await office.say(contactOf(index), 'I want a person');
    await office.say(contactOf(77), 'Ada');
    await office.say(contactOf(77), 'I left my umbrella in tram 12');
    await office.host.start('payment', {
      id: 'p-1',
      input: { input: { amount: 120, name: 'Ada' } },
    });
    await office.host.start('order', { id: 'o-1' });
    await office.atRest(60_000);
    const waiting = (await office.host.list({ queue: 'needsPerson' })).items;
    if (waiting.length !== 6) throw new Error(`6 need a person, not ${JSON.stringify(waiting)}`);
  });

  afterAll(() => office.close());

  test.each(tasks)('$does', async ({ at, options, run }) => {
    const [ana, bo] = await Promise.all([
      openDesk(office.url, 'ana', at, options),
      openDesk(office.url, 'bo', '/queues/all'),
    ]);
    await expect(run(ana, bo)).resolves.toBeUndefined();
  });
});
