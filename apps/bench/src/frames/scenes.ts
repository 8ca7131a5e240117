import { createInspector } from '@dramaturg/inspector';
import { liveExhibit, serveInspector } from '@dramaturg/inspector/server';
import type { Page } from 'playwright-core';
import { type AnyStateMachine, createActor, setup } from 'xstate';

/** An action of a person on the page of an inspector. */
export interface Scene {
  readonly name: string;
  /** The inspected machine, with ten states in each group. */
  readonly machine: AnyStateMachine;
  /** The minimum number of recorded events. */
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

/** Drags the chart while the whole chart is in view. */
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

/** Zooms from the whole chart to a few states and back. */
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

/** A running actor, and the address of its inspector. */
interface Inspected {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** An inspector of one actor that has recorded at least this many events. */
export async function inspected(machine: AnyStateMachine, events: number): Promise<Inspected> {
  const inspector = createInspector();
  const actor = createActor(machine, { inspect: inspector.inspect }).start();
  while (inspector.recording().events.length < events)
    for (let count = 0; count < 100; count += 1) actor.send({ type: 'next' });
  const { url, close } = await serveInspector(liveExhibit(inspector, { title: 'Frames' }));
  return {
    url,
    close: async () => {
      actor.stop();
      await close();
    },
  };
}

/** Makes a machine of groups with ten states each. Each group leads to two others, as in a tree, and the last ones back to the first. */
function tree(groups: number): AnyStateMachine {
  const target = (number: number) => `#tree.group${number < groups ? number : 0}`;
  const stepsOf = (group: number) =>
    Array.from({ length: 9 }, (_, step) => {
      const on =
        step < 8
          ? { next: `step${step + 1}`, ...(step % 4 === 3 ? { again: 'step0' } : {}) }
          : { next: target(2 * group + 1), other: target(2 * group + 2) };
      return [`step${step}`, { on }] as const;
    });
  const states = Array.from({ length: groups }, (_, group) => {
    return [
      `group${group}`,
      { initial: 'step0', states: Object.fromEntries(stepsOf(group)) },
    ] as const;
  });
  return setup({}).createMachine({
    id: 'tree',
    initial: 'group0',
    states: Object.fromEntries(states),
  });
}
