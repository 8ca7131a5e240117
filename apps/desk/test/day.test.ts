import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countOf, openDesk, rowOf } from './browser.ts';
import { whyNoChromium } from '@dramaturg/test-servers';
import { type Office, openOffice } from './office.ts';

let office: Office;

beforeEach(async () => {
  office = await openOffice();
});

afterEach(() => office.close());

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('counts and rows change while the page is open', async () => {
    await office.begin('i-1', '+56 9 1111 1111');
    const page = await openDesk(office.url, 'ana');
    await expect.poll(() => countOf(page, 'Needs a person').textContent()).toBe('0');
    await expect.poll(() => countOf(page, 'All').textContent()).toBe('1');
    await office.say('+56 9 1111 1111', 'I want a person');
    await expect.poll(() => countOf(page, 'Needs a person').textContent()).toBe('1');
    await rowOf(page, '+56 9 1111 1111').waitFor();
    expect(await page.title()).toBe('(1) Desk');
    await office.host.resume('i-1');
    await expect.poll(() => rowOf(page, '+56 9 1111 1111').count()).toBe(0);
  });

  test('a conversation is taken over, answered by hand in the name of the token, and returned', async () => {
    await office.begin('i-1', '+56 9 1111 1111');
    const page = await openDesk(office.url, 'ana', '/conversations/i-1');
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByText('You have this conversation for another').waitFor();
    await page.getByText('You write as Ana').waitFor();
    await page.getByLabel('Message to the contact').fill('Hello, this is Ana.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('log').getByText('Hello, this is Ana.').waitFor();
    expect(office.delivered.at(-1)).toMatchObject({ text: 'Hello, this is Ana.' });
    await expect.poll(() => page.getByLabel('Message to the contact').inputValue()).toBe('');
    expect((await office.host.get('i-1')).state).toBe('PAUSED');
    await page.getByRole('button', { name: 'Hand back' }).click();
    await page.getByText('Nobody has this conversation. The agent answers.').waitFor();
    expect((await office.host.get('i-1')).state).toBe('WAITING_FOR_REPLY');
  });

  test('a second operator is told who has the conversation, and cannot write', async () => {
    await office.begin('i-1', '+56 9 1111 1111');
    const ana = await openDesk(office.url, 'ana', '/conversations/i-1');
    const bo = await openDesk(office.url, 'bo', '/conversations/i-1');
    await ana.getByRole('button', { name: 'Take over' }).click();
    await ana.getByText('You have this conversation').waitFor();
    await bo.getByText('Ana has this conversation until').waitFor();
    expect(await bo.getByLabel('Message to the contact').count()).toBe(0);
    await bo.getByRole('button', { name: 'Take over' }).click();
    const refusal = bo.getByRole('alert').getByText('"Ana" has this conversation');
    await refusal.waitFor();
    expect(await refusal.textContent()).not.toContain('UTC');
    expect((await office.host.get('i-1')).owner).toMatchObject({ by: 'Ana' });
  });

  test('a conversation is given to a colleague, who has it, and its operator has not', async () => {
    await office.begin('i-1', '+56 9 1111 1111');
    const ana = await openDesk(office.url, 'ana', '/conversations/i-1');
    await ana.getByLabel('Name of the colleague').fill('Bo');
    await ana.getByRole('button', { name: 'Assign' }).click();
    await ana.getByText('Bo has this conversation until').waitFor();
    expect((await office.host.get('i-1')).owner).toMatchObject({ by: 'Bo' });
    const bo = await openDesk(office.url, 'bo', '/conversations/i-1');
    await bo.getByText('You have this conversation for another').waitFor();
    await bo.getByRole('button', { name: 'Hand back' }).click();
    await bo.getByText('Nobody has this conversation. The agent answers.').waitFor();
  });

  test('the agent proposes a draft, which nobody gets before it is sent', async () => {
    await office.begin('i-1', '+56 9 1111 1111');
    const page = await openDesk(office.url, 'ana', '/conversations/i-1');
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByText('You write as Ana').waitFor();
    await office.host.receive({ contact: '+56 9 1111 1111', text: 'Ada Byron', id: 'm' });
    const before = office.delivered.length;
    await page.getByRole('button', { name: 'Propose a reply' }).click();
    await page.getByText('A draft of the agent.').waitFor();
    expect(await page.getByLabel('Message to the contact').inputValue()).toContain(
      'What happened?',
    );
    expect(office.delivered.length).toBe(before);
  });

  test('who waits stays in the queue until somebody has answered, and their row stays selected', async () => {
    await office.begin('i-1', '+56 9 1111 1111');
    await office.begin('i-2', '+56 9 2222 2222');
    await office.say('+56 9 1111 1111', 'I want a person');
    await office.say('+56 9 2222 2222', 'I want a person, too');
    const page = await openDesk(office.url, 'ana', '/queues/needs-person');
    const row = rowOf(page, '+56 9 1111 1111');
    await row.getByText('I want a person').waitFor();
    expect(await row.getAttribute('data-unread')).toBe('true');
    await row.click();
    await expect.poll(() => row.getAttribute('data-unread')).toBeNull();
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByText('You write as Ana').waitFor();
    expect(await countOf(page, 'Needs a person').textContent()).toBe('2');
    await page.getByLabel('Message to the contact').fill('Hello, this is Ana.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.poll(() => countOf(page, 'Needs a person').textContent()).toBe('1');
    await expect.poll(() => countOf(page, 'Paused').textContent()).toBe('1');
    expect(await row.getAttribute('aria-selected')).toBe('true');
    // No notice covers anything: it has a place of its own.
    const name = await page.getByRole('heading', { name: '+56 9 1111 1111' }).boundingBox();
    const notice = await page.locator('.notices').boundingBox();
    expect(notice!.y).toBeGreaterThanOrEqual(name!.y + name!.height);
    await office.say('+56 9 1111 1111', 'Are you there?');
    await expect.poll(() => countOf(page, 'Needs a person').textContent()).toBe('2');
  });

  test('a run that has ended in a failure is among the failed ones, with its error', async () => {
    await office.host.start('parts', { id: 'p-1', input: { input: {} } });
    const page = await openDesk(office.url, 'ana', '/queues/failed');
    const row = rowOf(page, 'p-1');
    await row.getByText('ended, failed').waitFor();
    await row.click();
    const failure = page.locator('.failure');
    await expect.poll(() => failure.textContent()).toMatch(/^Failed in Choose: .*parts/);
    await failure.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('It failed in its first step').waitFor();
  });

  test('a failed run leads to the inspector, and is retried in a copy', async () => {
    const inspected = await openOffice({ inspector: 'http://127.0.0.1:1/?token=t' });
    try {
      await inspected.host.start('order', { id: 'o 1' });
      await inspected.host.settle({ within: 10_000 });
      const page = await openDesk(inspected.url, 'ana', '/queues/failed');
      await rowOf(page, 'o 1').click();
      const failure = page.locator('.failure');
      await expect.poll(() => failure.textContent()).toContain('Failed in Ship: No van is free.');
      const link = failure.getByRole('link', { name: 'Inspect' });
      expect(await link.getAttribute('href')).toBe('http://127.0.0.1:1/?token=t#o%201');
      inspected.repair();
      await failure.getByRole('button', { name: 'Retry' }).click();
      await page.getByText('It runs again.').waitFor();
      await page.getByText('It has ended.').waitFor();
      expect(await failure.count()).toBe(0);
      const { items } = await inspected.host.list({ definition: 'order' });
      expect(items.map(({ state }) => state).toSorted()).toEqual(['COMPLETED', 'FAILED']);
      const reader = await openDesk(inspected.url, 'reader', '/conversations/o%201');
      await expect.poll(() => reader.locator('.failure').textContent()).toContain('No van is free');
      expect(await reader.locator('.failure a, .failure button').count()).toBe(0);
    } finally {
      await inspected.close();
    }
  });

  test('a failed turn says why, and runs again', async () => {
    await office.begin('i-1', '+56 9 1111 1111');
    await office.say('+56 9 1111 1111', 'please fail');
    const page = await openDesk(office.url, 'ana', '/queues/failed');
    await rowOf(page, '+56 9 1111 1111').click();
    await page.getByRole('alert').getByText('The model is overloaded.').waitFor();
    office.repair();
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => countOf(page, 'Failed').textContent()).toBe('0');
    await expect.poll(async () => (await office.host.get('i-1')).state).toBe('WAITING_FOR_REPLY');
    await expect.poll(() => page.getByText('The model is overloaded.').count()).toBe(0);
  });

  test('notes are for operators, and what everybody did is listed and exported', async () => {
    await office.begin('i-1', '+56 9 1111 1111');
    const page = await openDesk(office.url, 'ana', '/conversations/i-1');
    await page.getByRole('tab', { name: 'Notes' }).click();
    await page.getByLabel('New note').fill('=A regular, "be kind"');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.locator('.notes').getByText('be kind').waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('noted').waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('cell', { name: 'noted' }).waitFor();
    const exported = async (button: string) => {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: button }).click();
      const { default: fs } = await import('node:fs');
      return fs.readFileSync(await (await saving).path(), 'utf8');
    };
    expect(await exported('Export CSV')).toContain('Ana');
    expect(await exported('Export JSON')).toContain('be kind');
    expect(office.delivered.some(({ text }) => text.includes('kind'))).toBe(false);
  });

  test('a token that may only read shows everything and acts on nothing', async () => {
    await office.begin('i-1', '+56 9 1111 1111');
    const page = await openDesk(office.url, 'reader', '/conversations/i-1');
    await page.getByText('Your token may read, but not act.').waitFor();
    expect(await page.getByRole('button', { name: 'Take over' }).count()).toBe(0);
  });

  test('an unknown token is refused with a sentence, and a known one outlives a reload', async () => {
    const page = await openDesk(office.url, undefined);
    await page.getByLabel('Your token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The service does not know this token.').waitFor();
    await page.getByLabel('Your token').fill('ana');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Signed in as Ana').waitFor();
    await page.reload();
    await page.getByText('Signed in as Ana').waitFor();
    expect(page.url()).not.toContain('ana');
  });

  test('without tokens the operator says who they are', async () => {
    const open = await openOffice({ tokens: undefined });
    try {
      await open.begin('i-1', '+56 9 1111 1111');
      const page = await openDesk(open.url, undefined, '/conversations/i-1');
      await page.getByLabel('Your name').fill('Cleo');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Take over' }).click();
      await page.getByText('You write as Cleo').waitFor();
      expect((await open.host.get('i-1')).owner).toMatchObject({ by: 'Cleo' });
    } finally {
      await open.close();
    }
  });
});
