import { whyNoChromium } from '@dramaturg/test-servers';
import { createInspector } from '@dramaturg/inspector';
import { liveExhibit, serveInspector } from '@dramaturg/inspector/server';
import { createActor, createMachine, fromCallback, sendTo, setup } from 'xstate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { opened, overlaps } from './browser.ts';

/** Timeout for a browser, a page and a host. */

/** Two actors that talk to each other. */
const table = setup({
  actors: {
    other: createMachine({ initial: 'back', states: { back: { on: { ball: 'back' } } } }),
  },
}).createMachine({
  id: 'table',
  initial: 'playing',
  context: { rallies: 0 },
  states: {
    playing: {
      invoke: { src: 'other', id: 'other' },
      initial: 'left',
      states: {
        left: { on: { hit: 'right' } },
        right: { on: { hit: 'left' } },
      },
      on: { hit: { actions: sendTo('other', { type: 'ball' }) }, stop: 'over' },
    },
    over: { type: 'final' },
  },
});

async function serving() {
  const inspector = createInspector();
  const actor = createActor(table, { inspect: inspector.inspect }).start();
  const exhibit = liveExhibit(inspector, { title: 'Table', allowsSending: true });
  const { url, close } = await serveInspector(exhibit);
  onTestFinished(close);
  return { inspector, actor, url };
}

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('the page draws any XState machine, follows it and sends it events', async () => {
    const { actor, url } = await serving();
    const page = await opened(url);
    const lit = () => page.locator('.dg-state[data-light=current] .dg-state-name').allInnerTexts();
    await expect.poll(lit).toEqual(['left']);
    expect(await overlaps(page)).toEqual([]);
    await page.getByText('Send another event').click();
    await page.getByLabel('Event, as JSON').fill('hit');
    await page.keyboard.press('Enter');
    await expect.poll(lit).toEqual(['right']);
    expect(actor.getSnapshot().value).toEqual({ playing: 'right' });
    actor.send({ type: 'hit' });
    await expect.poll(lit).toEqual(['left']);
    await page.keyboard.press('Escape');
    await page.locator('h1').click();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(lit).toEqual(['right']);
    await expect
      .poll(() => page.locator('.actors .row-name').allInnerTexts())
      .toEqual(['table', 'other']);
  });

  test('actors with the names of ports are shown like others, and a broken panel does not break other panels', async () => {
    const silent = fromCallback<{ type: 'any' }, Record<string, unknown>>(() => {});
    const boss = setup({
      actors: { worker: createMachine({ id: 'worker' }), timer: silent, requestDecision: silent },
    }).createMachine({
      id: 'boss',
      invoke: [
        { src: 'worker', id: 'worker', input: { key: 'user-42' } },
        { src: 'timer', id: 'egg', input: { key: 'egg', seconds: 5 } },
        {
          src: 'requestDecision',
          input: { key: 'a', prompt: 'Yes?', options: [{ id: 'yes' }], batch: 'all of it' },
        },
      ],
    });
    const inspector = createInspector();
    createActor(boss, { inspect: inspector.inspect }).start();
    const { url, close } = await serveInspector(liveExhibit(inspector, { title: 'Boss' }));
    onTestFinished(close);
    const page = await opened(url);
    await expect
      .poll(() => page.locator('.panel [role=alert]').innerText())
      .toContain('This cannot be shown');
    await page.getByRole('tab', { name: 'Timers' }).click();
    await expect.poll(() => page.locator('.panel').innerText()).toBe('No running timers.');
    await expect
      .poll(() => page.locator('.actors .row-name').allInnerTexts())
      .toEqual(['boss', 'worker', 'egg']);
  });

  test('the shown run stays live when the list of runs is unavailable for a moment', async () => {
    const inspector = createInspector();
    const actor = createActor(table, { inspect: inspector.inspect }).start();
    const exhibit = liveExhibit(inspector, { title: 'Table' });
    const looks: string[] = [];
    let isInUse = false;
    const runs: typeof exhibit.runs = async () => {
      looks.push(isInUse ? 'in use' : 'fine');
      if (isInUse) throw new Error('The store is in use.');
      return exhibit.runs();
    };
    const { url, close } = await serveInspector({ ...exhibit, runs });
    onTestFinished(close);
    const page = await opened(url);
    const status = () => page.locator('.status').innerText();
    await expect.poll(status).toBe('live');
    isInUse = true;
    await expect.poll(status).toBe('The store is in use.');
    expect(await page.locator('.inspector').getAttribute('data-live')).toBe('true');
    actor.send({ type: 'hit' });
    isInUse = false;
    await expect.poll(() => looks.at(-1)).toBe('fine');
    await expect.poll(status).toBe('live');
  });

  test('an event goes to the selected actor, and the page says when the actor does not accept it', async () => {
    const inspector = createInspector();
    const [one, two] = ['one', 'two'].map((id) =>
      createActor(
        createMachine({
          id,
          initial: 'off',
          states: { off: { on: { toggle: 'on' } }, on: { on: { toggle: 'off' } } },
        }),
        { inspect: inspector.inspect },
      ).start(),
    );
    const exhibit = liveExhibit(inspector, { title: 'Lamps', allowsSending: true });
    const { url, close } = await serveInspector(exhibit);
    onTestFinished(close);
    const page = await opened(url);
    const send = async (type: string) => {
      await page.getByLabel('Event, as JSON').fill(type);
      await page.keyboard.press('Enter');
    };
    await page.locator('.actors .row-name', { hasText: 'one' }).click();
    await page.getByText('Send another event to one').click();
    await send('toggle');
    await expect.poll(() => one!.getSnapshot().value).toBe('on');
    one!.stop();
    await page.locator('.actors .row-name', { hasText: 'two' }).click();
    await send('toggle');
    await expect.poll(() => two!.getSnapshot().value).toBe('on');
    await send('explode');
    await expect
      .poll(() => page.locator('.talk > [role=alert]').innerText())
      .toContain('does not accept "explode"');
    expect(one!.getSnapshot().value).toBe('on');
  });

  test('the page keeps working while thousands of events arrive, and draws only the visible ones', async () => {
    const { actor, url } = await serving();
    const page = await opened(url);
    await expect
      .poll(() => page.locator('.dg-state[data-light=current] .dg-state-name').count())
      .toBe(1);
    await page.evaluate(() => {
      const frames: number[] = [];
      let last = performance.now();
      const look = (now: number) => {
        frames.push(now - last);
        last = now;
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
      Object.assign(globalThis, { frames });
    });
    const events = () => page.locator('.rows').evaluate((rows) => rows.clientHeight / 24);
    for (let count = 0; count < 2_500; count += 1) {
      actor.send({ type: 'hit' });
      if (count % 25 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    // Each event goes to one of the two actors: with the first events, over 2,500 of them.
    await expect.poll(events).toBeGreaterThanOrEqual(2_500);
    const frames = await page.evaluate(
      () => (globalThis as unknown as { frames: number[] }).frames,
    );
    const sorted = frames.toSorted((one, other) => one - other);
    const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)]!);
    process.stderr.write(
      `inspector, 5,000 events: ${frames.length} frames, median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms, longest ${at(0.999)} ms\n`,
    );
    expect(await page.locator('*').count()).toBeLessThan(1_500);
    await page.keyboard.press('Home');
    await expect
      .poll(() => page.locator('.scrubber output').innerText())
      .toMatch(/^Moment 1 of \d{4}/);
  });
});
