import { webChannel } from '@dramaturg/channel-web';
import { memoryStore } from 'dramaturg';
import { serveHost } from 'dramaturg/service';
import type { Page } from 'playwright';
import { type Screen, type Stage, viewsOf } from '../view.ts';
import { openSampleHost } from './sample-host.ts';

const token = 'token-of-ana';

const screens: readonly (readonly [
  subject: string,
  path: string,
  screens: readonly Screen[],
  open: (page: Page) => Promise<void>,
])[] = [
  [
    'desk-queue',
    '/queues/all',
    ['1280-light', '360-dark'],
    (page) => page.locator('.list-row').first().waitFor(),
  ],
  [
    'desk-conversation',
    '/conversations/support-elif?queue=all',
    ['1920-dark', '360-light'],
    async (page) => {
      await page.getByText('I want to speak to a person').last().waitFor();
      const chart = page.getByRole('tab', { name: 'Chart' });
      if (!(await chart.isVisible())) return;
      await chart.click();
      await page.locator('.dg-statechart[data-status="done"] .dg-state').first().waitFor();
    },
  ],
  [
    'desk-decision',
    '/decisions',
    ['1280-dark'],
    async (page) => {
      await page.getByRole('button', { name: 'Refund 49 euros' }).click();
      await page.getByRole('button', { name: 'Approve' }).waitFor();
    },
  ],
];

/** The desk and the web chat of a service. */
export async function openService(): Promise<Stage> {
  const channels = { web: webChannel({ secret: 'a secret of the views with 32 characters' }) };
  const host = await openSampleHost({ store: memoryStore(), channels, isServed: true });
  const person = { name: 'ana', scopes: ['read', 'operate'], roles: [] } as const;
  const service = await serveHost(host, {
    http: '127.0.0.1:0',
    desk: true,
    channels,
    orStart: { definition: 'support' },
    tokens: (given) => Promise.resolve(given === token ? person : undefined),
  });
  const url = service.url!;
  return {
    views: [
      ...screens.flatMap(([subject, path, shown, open]) =>
        viewsOf(subject, shown, async (page) => {
          await page.goto(`${url}/desk${path}`);
          await page.getByLabel('Your token').fill(token);
          await page.getByRole('button', { name: 'Sign in' }).click();
          await page.locator('.live[data-state="open"]').waitFor({ state: 'attached' });
          await open(page);
        }),
      ),
      ...viewsOf('web-chat', ['360-light', '1280-dark'], async (page) => {
        await page.goto(`${url}/channels/web/`);
        for (const [index, text] of ['Maria', '4711-B'].entries()) {
          await page.getByPlaceholder('Write a message').fill(text);
          await page.keyboard.press('Enter');
          await page
            .locator('.row .message')
            .nth(2 * index + 1)
            .waitFor();
        }
      }),
    ],
    close: async () => {
      await host.stop({ within: 0 });
      await service.end();
    },
  };
}
