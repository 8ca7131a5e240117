import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright';
import { moment, preloadAt } from '../moment.ts';
import { type Screen, type Stage, viewsOf } from '../view.ts';

const command = join(import.meta.dirname, '../../../../packages/dramaturg/bin/dramaturg.js');

const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();
const steps = async (page: Page, count: number) => {
  await page.locator('h1').click();
  for (let step = 0; step < count; step += 1) await page.keyboard.press('ArrowLeft');
};

const screens: readonly (readonly [
  subject: string,
  run: string,
  screens: readonly Screen[],
  open: (page: Page) => Promise<void>,
])[] = [
  ['inspector', 'support-maria', ['360-light', '1920-dark'], async () => {}],
  [
    'inspector-why',
    'support-mateo',
    ['1280-dark'],
    async (page) => {
      await tab(page, 'Why');
      await steps(page, 3);
      await page.locator('.why .headline').first().waitFor();
    },
  ],
  [
    'inspector-calls',
    'order-2',
    ['1280-light', '1920-dark'],
    async (page) => {
      await tab(page, 'Calls');
      await page.locator('.calls details').first().waitFor();
    },
  ],
  [
    'inspector-failed',
    'order-1',
    ['1280-dark'],
    async (page) => {
      await page.locator('.failure').waitFor();
      await tab(page, 'Source');
    },
  ],
  [
    'inspector-compare',
    'support-maria',
    ['1280-light'],
    async (page) => {
      await tab(page, 'Compare');
      await page.getByRole('combobox').selectOption('support-mateo');
      await page.locator('[data-difference]').waitFor();
    },
  ],
];

/** The inspector of the instances in a store, named as people name it: relative to a folder. */
export async function openInspector(folder: string, store: string): Promise<Stage> {
  const args = ['--import', preloadAt(moment, 100), command, 'inspect', store, '--json'];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [ready] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url } = JSON.parse(ready) as { readonly url: string };
  return {
    views: screens.flatMap(([subject, run, shown, open]) =>
      viewsOf(subject, shown, async (page) => {
        await page.goto(`${url}#${run}`);
        await page.locator('.dg-statechart[data-status="done"] .dg-state').first().waitFor();
        await page.getByText('stored', { exact: true }).waitFor();
        await open(page);
      }),
    ),
    close: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}
