import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { firstWord } from '../../../.config/first-word.ts';
import { countOf, openDesk, openPage, rowOf } from './browser.ts';
import { whyNoChromium } from '@dramaturg/test-servers';
import { openProviders } from './people.ts';

/** A model that can be out. */
async function openModel() {
  let isOut = false;
  const server = createServer((_, response) => {
    response.statusCode = isOut ? 503 : 200;
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (state: 'out' | 'back') => {
      isOut = state === 'out';
    },
  };
}

/** The process of the office. A killed one comes back at the same address. */
async function openProcess(model: string, providers: object) {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-day-'));
  let child: ChildProcess | undefined;
  onTestFinished(async () => {
    child?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  const start = async (port: string): Promise<string> => {
    const script = fileURLToPath(new URL('office-process.ts', import.meta.url));
    const args = [script, join(folder, 'data.db'), port, model, JSON.stringify(providers)];
    child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    return firstWord(child);
  };
  const url = await start('0');
  return {
    url,
    kill: async () => {
      child!.kill('SIGKILL');
      await once(child!, 'exit');
    },
    restart: () => start(new URL(url).port),
  };
}

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('a whole day of an operator with ten contacts on four channels', async () => {
    const model = await openModel();
    const providers = await openProviders();
    onTestFinished(() => providers.close());
    const { url, kill, restart } = await openProcess(model.url, providers.urls);
    const office = () => url;
    const post = (token: string, path: string, body: object) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });

    // In the morning ten people write: four by Telegram, three by SMS, two on Slack, one on the website.
    const [ada, bea, ...others] = [
      ...[501, 502, 503, 504].map((chat) => providers.onTelegram(office, chat)),
      ...['+15017122661', '+15017122662', '+15017122663'].map((number) =>
        providers.bySms(office, number),
      ),
      ...['D024BE91L', 'D024BE92L'].map((channel) => providers.onSlack(office, channel)),
    ];
    const people = [ada!, bea!, ...others];
    expect(await Promise.all(people.map(({ say }) => say('Hello, I have a problem')))).toEqual(
      people.map(() => 200),
    );
    const site = await openPage(`${url}/channels/web/`);
    const write = async (text: string) => {
      await site.getByPlaceholder('Write a message').fill(text);
      await site.getByPlaceholder('Write a message').press('Enter');
    };
    const said = () => site.locator('.row:not(.draft) .bubble:not(.typing)').allInnerTexts();
    await write('Hello from the website');
    for (const { contact, heard } of people)
      await expect.poll(() => heard().length, { message: contact }).toBe(1);
    await expect.poll(async () => (await said()).length).toBe(2);

    const ana = await openDesk(url, 'ana');
    await expect.poll(() => countOf(ana, 'All').textContent()).toBe('10');

    // The model is out. A turn fails, the operator sees why, and repeats it when the model is back.
    model.set('out');
    expect(await ada!.say('My name is Ada')).toBe(200);
    await expect.poll(() => countOf(ana, 'Failed').textContent()).toBe('1');
    await ana.getByRole('navigation').getByRole('link', { name: 'Failed' }).click();
    await rowOf(ana, ada!.contact).click();
    await ana.getByRole('alert').getByText('The model is overloaded.').waitFor();
    await expect.poll(() => ada!.heard().at(-1)).toMatch(/^Sorry, I cannot answer/);
    model.set('back');
    await ana.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => countOf(ana, 'Failed').textContent()).toBe('0');
    await expect.poll(() => ada!.heard().length).toBe(3);

    // She takes a conversation over, writes by hand, and returns it. What came in between is answered then.
    const sms = others.find(({ contact }) => contact.startsWith('+'))!;
    await ana.getByRole('navigation').getByRole('link', { name: 'All' }).click();
    await rowOf(ana, sms.contact).click();
    await ana.getByRole('button', { name: 'Take over' }).click();
    await ana.getByText('You write as Ana').waitFor();
    await ana.getByLabel('Message to the contact').fill('Hello, this is Ana.');
    await ana.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.poll(() => sms.heard().at(-1)).toBe('Hello, this is Ana.');
    expect(await sms.say('My name is Carl')).toBe(200);
    await ana.getByRole('log').getByText('My name is Carl').waitFor();
    expect(sms.heard()).toHaveLength(2);
    await ana.getByRole('button', { name: 'Hand back' }).click();
    await expect.poll(() => sms.heard().length).toBe(3);

    // A payment needs two approvals, and the first changes the amount.
    const input = { amount: 120, name: 'Ada' };
    const started = await post('shop', '/instances', { definition: 'payment', id: 'p-1', input });
    expect(started.status).toBe(201);
    await ana.goto(`${url}/desk/decisions`);
    await ana.getByRole('button', { name: 'Pay 120 euros to Ada?' }).click();
    await ana.getByLabel('Reason').fill('A receipt is there');
    await ana.getByLabel('amount').fill('100');
    await ana.getByRole('button', { name: 'approve' }).click();
    const bo = await openDesk(url, 'bo', '/decisions');
    await bo.getByRole('button', { name: 'Pay 100 euros to Ada?' }).click();
    await bo.getByLabel('Reason').fill('Fine');
    await bo.getByRole('button', { name: 'approve' }).click();
    await expect.poll(() => countOf(bo, 'Decisions').textContent()).toBe('0');

    // The process is killed in the middle of a reply. The reply is made again, and everybody has everything once.
    const before = people.map(({ heard }) => heard().length);
    await write('Please answer slowly, I am Dora');
    await expect
      .poll(async () => (await site.locator('.draft .bubble').allInnerTexts()).join(''))
      .not.toBe('');
    await kill();
    await restart();
    await expect.poll(async () => (await said()).length).toBe(4);
    expect(new Set(await said()).size).toBe(4);
    await expect.poll(() => countOf(ana, 'All').textContent()).toBe('10');
    expect(people.map(({ heard }) => heard().length)).toEqual(before);
    expect(await bea!.say('My name is Bea')).toBe(200);
    await expect.poll(() => bea!.heard().length).toBe(2);

    // In the evening one of them wants to be forgotten.
    const erased = await post('ana', '/erase', { contact: bea!.contact, running: 'end' });
    expect(erased.status).toBe(200);
    await ana.goto(`${url}/desk/queues/all`);
    await expect.poll(() => countOf(ana, 'All').textContent()).toBe('9');
    await expect.poll(() => rowOf(ana, bea!.contact).count()).toBe(0);
    const acts = await fetch(`${url}/acts`, { headers: { authorization: 'Bearer ana' } });
    const text = await acts.text();
    expect(text).toContain('Hello, this is Ana.');
    expect(text).not.toContain(bea!.contact);
  });
});
