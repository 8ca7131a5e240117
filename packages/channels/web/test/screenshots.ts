/** Takes the pictures of docs/web-chat.md: `node packages/channels/web/test/screenshots.ts`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { webChannel } from '@dramaturg/channel-web';
import { createHost, memoryStore, understudyPorts } from 'dramaturg';
import { serveHost } from 'dramaturg/service';
import { chromium } from 'playwright-core';
import { intake } from './intake.ts';
import { secret } from './secrets.ts';

const folder = fileURLToPath(new URL('../../../../docs/images/', import.meta.url));

const answers = [
  'Hi Maria, good to hear from you. Is it about an order that is on its way, or about one that has arrived?',
  'Thank you. It left our warehouse this morning, and arrives tomorrow between 9 and 12.\n\nYou can follow it here: https://parcels.example.com/4711',
  'I have asked a colleague to change the address for you.',
];

const site = createServer((_, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(`<!doctype html><html lang="en"><head><title>Shop</title><link rel="icon" href="data:,"><style>
    body { margin: 0; font: 17px/1.5 system-ui, sans-serif; color: #222; background: #faf8f5 }
    header { padding: 18px 48px; background: #fff; border-bottom: 1px solid #e6e1d9; font-weight: 700 }
    main { max-width: 620px; padding: 32px 48px }
    h1 { font-size: 40px; line-height: 1.1 }
    div { height: 220px; border-radius: 12px; background: #d8e2dc; margin: 24px 0 }
  </style></head><body><header>Northern Lamps</header><main><h1>Lamps that last</h1>
  <p>Made of oak and steel, repaired for free for twenty years.</p><div></div></main>
  <script src="${chat}embed.js" async></script></body></html>`);
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const origin = `http://localhost:${(site.address() as AddressInfo).port}`;

let turn = 0;
const wording = {
  title: 'Northern Lamps',
  subtitle: 'We answer at once',
  agent: 'Nora',
  person: 'Erik, support',
};
const channels = { web: webChannel({ secret, origins: [origin], wording }) };
const host = await createHost({
  store: memoryStore(),
  definitions: { intake: await intake() },
  ports: { ...understudyPorts(), reply: () => ({ text: answers[turn++ % answers.length]! }) },
  channels,
});
const service = await serveHost(host, {
  http: '127.0.0.1:0',
  channels,
  orStart: { definition: 'intake' },
});
const chat = `${service.url}/channels/web/`;
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});

for (const { name, url, width, height, colorScheme } of [
  { name: 'web-chat', url: origin, width: 1_200, height: 800, colorScheme: 'light' },
  { name: 'web-chat-dark', url: origin, width: 360, height: 720, colorScheme: 'dark' },
  { name: 'web-chat-page', url: chat, width: 1_000, height: 760, colorScheme: 'light' },
] as const) {
  turn = 0;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, locale: 'en-GB' });
  await page.goto(url);
  if (url === origin) await page.getByRole('button', { name: 'Open the chat' }).click();
  const shown = url === origin ? page.frameLocator('iframe') : page;
  const write = async (text: string, count: number) => {
    await shown.getByPlaceholder('Write a message').fill(text);
    await shown.getByPlaceholder('Write a message').press('Enter');
    await shown
      .locator('.row .message')
      .nth(count - 1)
      .waitFor();
  };
  await write('Hello, this is Maria. Where is my lamp?', 2);
  await write('It is on its way. The number is 4711.', 4);
  await write('Can it go to another address?', 6);
  const { items } = await host.list({ ended: false });
  await host.intervene(items.at(-1)!.id, 'Hello Maria, Erik here. Which address should it be?');
  await shown.locator('.person').waitFor();
  await page.waitForTimeout(600);
  await page.screenshot({ path: `${folder}${name}.png` });
  await host.cancel(items.at(-1)!.id);
  await page.close();
}

await browser.close();
site.close();
await host.stop({ within: 0 });
await service.end();
