import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { frameTimes } from '../frames/frame-times.ts';
import { inspected, type Scene, scenes } from '../frames/scenes.ts';
import type { Benchmark } from '../measure.ts';
import { PeerError } from '../peers.ts';
import { readingsOf } from '../readings.ts';

let launched: Promise<Browser> | undefined;

/** Starts Chromium once. @throws PeerError without one */
function launchedChromium(): Promise<Browser> {
  const executablePath = [
    process.env['CHROMIUM'],
    '/usr/bin/chromium',
    '/usr/bin/google-chrome',
    chromium.executablePath(),
  ].find((path) => path !== undefined && path !== '' && existsSync(path));
  if (executablePath === undefined)
    throw new PeerError(
      'There is no Chromium. Install one ("apt-get install chromium", "npx playwright install chromium"), or name it in CHROMIUM.',
    );
  return (launched ??= chromium.launch({ executablePath, args: ['--no-sandbox'] }));
}

async function closeChromium(): Promise<void> {
  await (await launched)?.close();
}

/** A page with 300 boxes that are dragged as one layer: the baseline cost of a page on this machine. */
const plainPage = `<!doctype html>
<style>
  body { margin: 0; overflow: hidden }
  i { position: absolute; width: 90px; height: 40px; border: 1px solid; font: 12px sans-serif }
</style>
<main></main>
<script>
  const main = document.querySelector('main');
  for (let box = 0; box < 300; box += 1) {
    const element = document.createElement('i');
    element.textContent = 'state ' + box;
    element.style.left = 100 * (box % 20) + 'px';
    element.style.top = 60 * Math.floor(box / 20) + 'px';
    main.append(element);
  }
  let scale = 1, x = 0, y = 0;
  const move = () => (main.style.transform = \`translate(\${x}px, \${y}px) scale(\${scale})\`);
  onmousemove = (event) => { if (event.buttons) { x += event.movementX; y += event.movementY; move(); } };
  onwheel = (event) => { scale *= event.deltaY < 0 ? 1.1 : 1 / 1.1; move(); };
</script>`;

const viewport = { width: 1280, height: 800 };
const rounds = 3;

/** Frames and long tasks of the inspector in Chromium, compared with a plain page and the same actions. */
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

/** Chromium draws only the page in front. */
async function timesOn(page: Page, act: Scene['act']) {
  await page.bringToFront();
  return frameTimes(page, () => act(page));
}
