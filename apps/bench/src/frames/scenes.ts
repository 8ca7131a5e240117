import type { Page } from 'playwright-core';
import type { AnyStateMachine } from 'xstate';
import { tree } from './inspected.ts';

/** Something that a person does on the page of an inspector. */
export interface Scene {
  readonly name: string;
  /** The inspected machine has ten states a group. */
  readonly machine: AnyStateMachine;
  /** The least number of recorded events. */
  readonly events: number;
  readonly act: (page: Page) => Promise<void>;
}

const many = { machine: tree(10), events: 5_000 };
const wide = { machine: tree(30), events: 10 };

export const scenes: readonly Scene[] = [
  { name: '5,000 events, step by step', ...many, act: pressed },
  { name: '5,000 events, scrolled', ...many, act: scrolled },
  { name: 'a chart of 300 states, panned', ...wide, act: panned },
  { name: 'a chart of 300 states, zoomed', ...wide, act: zoomed },
];

async function pressed(page: Page): Promise<void> {
  await page.keyboard.press('End');
  for (let count = 0; count < 60; count += 1) await page.keyboard.press('ArrowLeft');
}

async function scrolled(page: Page): Promise<void> {
  await page.mouse.move(640, 600);
  for (const way of [-1, 1])
    for (let count = 0; count < 30; count += 1) await page.mouse.wheel(0, 300 * way);
}

/** The whole chart is in view. */
async function panned(page: Page): Promise<void> {
  await showAll(page);
  await page.mouse.move(530, 300);
  await page.mouse.down();
  for (const [x, y] of [
    [400, 200],
    [800, 300],
    [530, 300],
  ] as const)
    await page.mouse.move(x, y, { steps: 30 });
  await page.mouse.up();
}

/** From the whole chart to a few states and back. */
async function zoomed(page: Page): Promise<void> {
  await showAll(page);
  await page.mouse.move(530, 300);
  for (const way of [-1, 1])
    for (let count = 0; count < 30; count += 1) await page.mouse.wheel(0, 100 * way);
}

async function showAll(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Show all' });
  if (await button.isVisible()) await button.click();
}
