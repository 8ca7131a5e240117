import { join } from 'node:path';
import type { Page } from 'playwright';
import { serveFolder } from '../../scripts/static-server.ts';
import { type Screen, type Stage, viewsOf } from '../view.ts';

const charted = (page: Page) =>
  page.locator('.dg-statechart[data-status="done"] .dg-state').first().waitFor();
const answered = (page: Page) =>
  page.locator('.dg-conversation[data-turn="person"]').first().waitFor();

const stories: readonly (readonly [
  subject: string,
  story: string,
  screens: readonly Screen[],
  shown: (page: Page) => Promise<void>,
])[] = [
  [
    'workbench-strict-against-loose',
    'tour--strict-against-loose',
    ['1280-light'],
    async (page) => {
      await charted(page);
      await answered(page);
    },
  ],
  [
    'workbench-approval',
    'tour--an-approval-in-a-map',
    ['1280-dark', '1920-light'],
    async (page) => {
      await charted(page);
      for (const prompt of ['Pay 240 euros for the hotel?', 'Pay 310 euros for the flight?'])
        await page.locator('.dg-decision', { hasText: prompt }).waitFor();
      await page.getByRole('button', { name: /Map.*Claims.*2\/4/ }).waitFor();
    },
  ],
  [
    'workbench-plan',
    'plans--intake',
    ['360-light', '1920-dark'],
    async (page) => {
      await charted(page);
      await answered(page);
    },
  ],
  [
    'workbench-mistake',
    'plans--unknown-target',
    ['1280-light'],
    async (page) => {
      await page.locator('.cm-lint-marker').first().waitFor();
      await page.getByRole('button', { name: 'Use “farewell”' }).waitFor();
    },
  ],
  [
    'workbench-traversal',
    'tour--hidden-traversal',
    ['1280-dark'],
    async (page) => {
      await charted(page);
      // What was played is written down at its end.
      await page.getByTestId('performance').waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Play transcript' }).waitFor();
    },
  ],
];

/** Stories of the static site of the workbench. */
export async function openStories(): Promise<Stage> {
  const { url, server } = await serveFolder(join(import.meta.dirname, '../../dist'));
  return {
    views: stories.flatMap(([subject, story, screens, shown]) =>
      viewsOf(subject, screens, async (page) => {
        const scheme = await page.evaluate(
          () => matchMedia('(prefers-color-scheme: dark)').matches,
        );
        const colours = scheme ? 'dark' : 'light';
        // Words of the understudy come without pauses.
        const address = `${url}/iframe.html?id=${story}&viewMode=story&globals=colours:${colours}&args=speed:0`;
        await page.goto(address);
        await shown(page);
      }),
    ),
    close: async () => void server.close(),
  };
}
