import type { Page } from 'playwright-core';
import { closeChromium, launchedChromium } from '../frames/chromium.ts';
import { frameTimes } from '../frames/frame-times.ts';
import { inspected } from '../frames/inspected.ts';
import { plainPage } from '../frames/plain-page.ts';
import { type Scene, scenes } from '../frames/scenes.ts';
import type { Benchmark } from '../measure.ts';
import { readingsOf } from '../readings.ts';

const viewport = { width: 1280, height: 800 };
const rounds = 3;

/** Frames and long tasks of the inspector in Chromium, beside a plain page on which the same is done. */
export const frames: readonly Benchmark[] = scenes.flatMap((scene) =>
  readingsOf(() => preparedScene(scene), {
    over: { name: `frames, ${scene.name}: over a plain page`, unit: '×', rounds },
    late: { name: `frames, ${scene.name}: time in frames over 33 ms`, unit: '%', rounds },
    plainLate: { name: `frames, ${scene.name}: the same of a plain page`, unit: '%', rounds },
    task: { name: `frames, ${scene.name}: longest task, 0 below 50 ms`, unit: 'ms', rounds },
  }),
);

const closers: (() => Promise<void>)[] = [];

/** Closes the browser, then the inspectors. */
export async function closeFrames(): Promise<void> {
  await closeChromium();
  for (const close of closers) await close();
}

async function preparedScene({ machine, events, act }: Scene) {
  const browser = await launchedChromium();
  const { url, close } = await inspected(machine, events);
  closers.push(close);
  const page = await browser.newPage({ viewport });
  await page.goto(url);
  await page.locator('.dg-statechart[data-status=done] .dg-state').first().waitFor();
  const plain = await browser.newPage({ viewport });
  await plain.setContent(plainPage);
  return async () => {
    const ours = await timesOn(page, act);
    const theirs = await timesOn(plain, act);
    return {
      over: ours.meanMs / theirs.meanMs,
      late: 100 * ours.late,
      plainLate: 100 * theirs.late,
      task: ours.longestTaskMs,
    };
  };
}

/** Only the page in front is drawn. */
async function timesOn(page: Page, act: Scene['act']) {
  await page.bringToFront();
  return frameTimes(page, () => act(page));
}
