import { whyNoChromium } from '@dramaturg/test-servers';
import { createInspector } from '@dramaturg/inspector';
import { type Exhibit, serveInspector } from '@dramaturg/inspector/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { opened } from './browser.ts';
import { step } from './inspecting.ts';

const longest = 10;

/** A stored run whose steps arrive when the test says so. Only its last 10 steps, or 10 before a step, are reported. */
function steppedRun() {
  const inspector = createInspector();
  let last = 0;
  const exhibit: Exhibit = {
    title: 'Steps',
    allowsSending: false,
    runs: async () => [{ id: 'run', title: 'Run', state: '', ended: false, updatedAt: 0 }],
    follow: async (_, tell, signal, until = last) => {
      const { events } = inspector.recording();
      const part = events.slice(Math.max(0, until - longest), until);
      tell({ kind: 'recording', sources: [], actors: [], events: part });
      tell({ kind: 'status', live: true });
      const isLatest = until === last;
      const stop = isLatest
        ? inspector.subscribe((event) => tell({ kind: 'events', events: [event] }))
        : () => {};
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      stop();
    },
    send: async () => undefined,
  };
  const goOnTo = (end: number) => {
    for (; last < end; last += 1) {
      const event = { type: `event ${last + 1}` };
      inspector.note({ type: '@dramaturg.step', sessionId: 'run', step: last + 1, event });
    }
  };
  return { exhibit, goOnTo };
}

async function served(hash: string, steps: number) {
  const { exhibit, goOnTo } = steppedRun();
  goOnTo(steps);
  const server = await serveInspector(exhibit);
  onTestFinished(server.close);
  const page = await opened(`${server.url}${hash}`);
  const shows = async (text: string) => {
    await expect.poll(() => step(page).innerText()).toContain(text);
  };
  const turnTo = (place: string) => page.evaluate((next) => void (location.hash = next), place);
  return { page, goOnTo, shows, turnTo };
}

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test.each([
    ['the last one that has arrived', 3],
    ['one that has not arrived yet', 2],
  ])('the step of an address stays when later ones arrive: %s', async (_, arrived) => {
    const { page, goOnTo, shows } = await served('#run/3', arrived);
    await shows(`of ${arrived}`);
    expect(new URL(page.url()).hash).toBe('#run/3');
    goOnTo(5);
    await shows('Step 3 of 5');
    expect(new URL(page.url()).hash).toBe('#run/3');
    await page.getByRole('button', { name: 'Last' }).click();
    await shows('Step 5 of 5');
    goOnTo(6);
    await shows('Step 6 of 6');
    expect(new URL(page.url()).hash).toBe('#run');
  });

  test('an address leads to any part of a long run, and one without a step to its latest', async () => {
    const { page, goOnTo, shows, turnTo } = await served('#run/7', 40);
    await shows('Step 7 of 7');
    await turnTo('#run/35');
    await shows('Step 35 of 40');
    await turnTo('#run/12');
    await shows('Step 12 of 12');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await shows('Step 10 of 12');
    expect(new URL(page.url()).hash).toBe('#run/10');
    await turnTo('#run');
    await shows('Step 40 of 40');
    await page.keyboard.press('ArrowLeft');
    await shows('Step 39 of 40');
    await turnTo('#run');
    goOnTo(41);
    await shows('Step 41 of 41');
  });

  test('a step that the run does not have is the nearest one, and a broken address changes nothing', async () => {
    const { page, shows, turnTo } = await served('#run/0', 5);
    await shows('Step 1 of 5');
    await turnTo('#run/99999999999');
    await shows('Step 5 of 5');
    await turnTo('#run/2');
    await shows('Step 2 of 5');
    for (const broken of ['#run/-1', '#run/2/3', '#%E4', '#']) await turnTo(broken);
    await page.keyboard.press('ArrowRight');
    await shows('Step 3 of 5');
    expect(new URL(page.url()).hash).toBe('#run/3');
  });

  test('step 0 of a long run is its first', async () => {
    const { page, shows } = await served('#run/0', 40);
    await shows('Step 1 of 1');
    expect(new URL(page.url()).hash).toBe('#run/1');
  });
});
