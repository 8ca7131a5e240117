import { existsSync } from 'node:fs';
import { createInspector } from '@dramaturg/inspector';
import { liveExhibit, serveInspector } from '@dramaturg/inspector/server';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type AnyStateMachine, createActor, setup } from 'xstate';
import { type Benchmark, PeerError, readingsOf } from '../measure.ts';

/** An action of a person on the page of an inspector. */
interface Scene {
  readonly name: string;
  /** The inspected machine, with ten states in each group. */
  readonly machine: AnyStateMachine;
  /** The minimum number of recorded events. */
  readonly events: number;
  readonly act: (page: Page) => Promise<void>;
}

const many = { machine: tree(10), events: 5_000 };
const wide = { machine: tree(30), events: 10 };

const scenes: readonly Scene[] = [
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
async function inspected(machine: AnyStateMachine, events: number): Promise<Inspected> {
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

/** Frames and long tasks of the inspector in Chromium, compared with a plain page and the same actions. */
export const frames: readonly Benchmark[] = scenes.flatMap((scene) =>
  readingsOf(
    () => preparedScene(scene),
    {
      over: [`frames, ${scene.name}: over a plain page`, '×'],
      late: [`frames, ${scene.name}: time in frames over 33 ms`, '%'],
      plainLate: [`frames, ${scene.name}: the same of a plain page`, '%'],
      task: [`frames, ${scene.name}: longest task, 0 below 50 ms`, 'ms'],
    },
    { rounds: 3 },
  ),
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

/** Measures of how smoothly a page was drawn during an action. */
interface FrameTimes {
  /** The mean time between two frames, in milliseconds. */
  readonly meanMs: number;
  /** The share of the time in frames of more than 33 ms, which is two frames at 60 Hz. */
  readonly late: number;
  /** The longest task of the page in milliseconds; 0 if none took over 50 ms. */
  readonly longestTaskMs: number;
}

interface Recorder {
  readonly stop: () => FrameTimes;
}

declare global {
  var frameRecorder: Recorder;
}

/** Records the frames and the long tasks of a page while `act` runs on it. */
async function frameTimes(page: Page, act: () => Promise<void>): Promise<FrameTimes> {
  await page.evaluate(startRecorder);
  await act();
  return page.evaluate(() => globalThis.frameRecorder.stop());
}

/** Records frames and tasks. Runs in the page. */
function startRecorder(): void {
  const drawn: number[] = [];
  const tasks: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  });
  observer.observe({ type: 'longtask' });
  let isStopped = false;
  const next = (at: number) => {
    drawn.push(at);
    if (!isStopped) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  globalThis.frameRecorder = {
    stop: () => {
      isStopped = true;
      for (const { duration } of observer.takeRecords()) tasks.push(duration);
      observer.disconnect();
      const all = drawn.at(-1)! - drawn[0]!;
      const times = drawn.slice(1).map((at, index) => at - drawn[index]!);
      const late = times.filter((time) => time > 33.5).reduce((sum, time) => sum + time, 0);
      return {
        meanMs: all / times.length,
        late: late / all,
        longestTaskMs: Math.max(0, ...tasks),
      };
    },
  };
}
