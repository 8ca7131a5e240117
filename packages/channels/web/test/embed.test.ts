import { whyNoChromium } from '@dramaturg/test-servers';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { said, visiting, write } from './browser.ts';
import { identitySecret } from './secrets.ts';
import { served, speaking } from './stage.ts';

/** Rules that would break a launcher that the site can reach. */
const rules =
  '* { margin: 40px; padding: 9px; display: inline; position: static } div, button, iframe, span { height: 9px; color: red }';

/** A site of another origin, with a strict content policy. @param line what is on its pages for a chat */
async function site(line: (origin: string) => string, allowed: string): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src ${allowed}; frame-src ${allowed}`;
    response.setHeader('content-security-policy', policy);
    const { port } = server.address() as AddressInfo;
    response.end(
      `<!doctype html><html lang="en"><head><title>Shop</title><style>${rules}</style><link rel="icon" href="data:,"></head><body><h1>Shop</h1><a href="/next">Next</a>${line(`http://localhost:${port}`)}</body></html>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // Another host name, so another site to the browser.
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

/** Serves a chat that a site has embedded. */
async function embedded(attributes: string, options: Parameters<typeof served>[0] = {}) {
  let chat = '';
  const origin = await site(
    () => `<script src="${chat}embed.js" ${attributes} async></script>`,
    'http://127.0.0.1:*',
  );
  const stage = await served(
    { origins: [origin], ...options },
    { ports: speaking('Good morning.') },
  );
  chat = stage.url;
  return { ...stage, origin };
}

describe.skipIf(whyNoChromium() !== undefined)('the chat on another site', () => {
  test('one line shows a launcher that opens the chat, and the keyboard leads in and out', async () => {
    const { origin } = await embedded('data-definition="intake"');
    const page = await (await visiting()).open(origin);
    const launcher = page.getByRole('button', { name: 'Open the chat' });
    await launcher.focus();
    await page.keyboard.press('Enter');
    const chat = page.frameLocator('iframe');

    // The place to write has the focus.
    await expect.poll(() => chat.locator('textarea:focus').count()).toBe(1);
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await expect.poll(() => said(chat)).toEqual(['Hello', 'Good morning.']);
    const [button, frame] = await Promise.all(
      [page.getByRole('button').last(), page.locator('iframe')].map((each) => each.boundingBox()),
    );
    // Above the launcher, in the corner of the window.
    expect(button).toEqual({ x: 920, y: 720, width: 60, height: 60 });
    expect(frame).toEqual({ x: 580, y: 24, width: 400, height: 680 });
    await page.keyboard.press('Escape');

    await expect.poll(() => page.locator('iframe').isVisible()).toBe(false);
    expect(await launcher.evaluate((each) => each.matches(':focus'))).toBe(true);
  });

  test('a message that comes while the chat is closed is counted, also on the next page', async () => {
    const { origin, host } = await embedded('');
    const page = await (await visiting()).open(origin);
    await page.getByRole('button', { name: 'Open the chat' }).click();
    const chat = page.frameLocator('iframe');
    await write(chat, 'Hello');
    await expect.poll(() => said(chat)).toHaveLength(2);
    await page.getByRole('button', { name: 'Close the chat' }).last().click();
    const [conversation] = (await host.list()).items;
    // What was seen until the chat was closed is reported.
    await expect
      .poll(async () => {
        const lines = await host.transcript(conversation!.id, { from: 0, limit: 100 });
        return lines.map(({ role, delivery }) => `${role} ${delivery?.status}`);
      })
      .toContain('agent read');
    await page.getByRole('link', { name: 'Next' }).click();
    await expect.poll(() => page.frames().length).toBe(2);
    await expect.poll(() => said(chat)).toHaveLength(2);

    await host.intervene(conversation!.id, 'Are you still there?');

    await expect
      .poll(() => page.getByRole('button').first().getAttribute('aria-label'))
      .toBe('Open the chat. New messages: 1');
    await page.getByRole('button').first().click();
    await expect.poll(() => said(chat)).toContain('Are you still there?');
    expect(await page.locator('.badge').isVisible()).toBe(false);
  });

  test('a site that is not allowed cannot show the chat', async () => {
    const { url } = await served();
    const origin = await site(() => `<iframe src="${url}"></iframe>`, 'http://127.0.0.1:*');
    const { open } = await visiting({}, /frame-ancestors/);
    const page = await open(origin);

    await expect.poll(() => page.frames().length).toBe(2);
    await page.waitForLoadState('networkidle');
    expect(await page.frameLocator('iframe').getByPlaceholder('Write a message').count()).toBe(0);
  });

  test('the customer of the site is the contact, and the next customer sees nothing of it', async () => {
    const identity = (sub: string) =>
      new SignJWT({ name: sub })
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience('dramaturg-web-chat')
        .setSubject(sub)
        .setIssuedAt()
        .setExpirationTime('1 hour')
        .sign(new TextEncoder().encode(identitySecret));
    const { origin, host } = await embedded(`data-identity="${await identity('ada')}"`, {
      identitySecret,
    });
    const page = await (await visiting()).open(origin);
    await page.getByRole('button', { name: 'Open the chat' }).click();
    const chat = page.frameLocator('iframe');
    await write(chat, 'I am Ada');
    await expect.poll(() => said(chat)).toHaveLength(2);
    expect((await host.list()).items).toMatchObject([{ contact: 'ada' }]);

    await page.evaluate(`dramaturgChat.identify(${JSON.stringify(await identity('bob'))})`);
    await expect.poll(() => said(chat)).toEqual([]);
    await write(chat, 'I am Bob');
    await expect.poll(() => said(chat)).toEqual(['I am Bob', 'Good morning.']);
    await page.evaluate('dramaturgChat.identify(null)');
    await expect.poll(() => said(chat)).toEqual([]);
    await page.evaluate(`dramaturgChat.identify(${JSON.stringify(await identity('ada'))})`);
    await expect.poll(() => said(chat)).toEqual(['I am Ada', 'Good morning.']);
  });
});
