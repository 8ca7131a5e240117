import { once } from 'node:events';
import { createInspector } from '@dramaturg/inspector';
import { type Exhibit, serveInspector } from '@dramaturg/inspector/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadDoings } from '../page/src/data/load-run.ts';

/** Steps of a run that a server sends at once. */
const stepsAtOnce = 40;

/** A stored run whose steps each say their number. Only the last ones are sent, as for a long run of a store. */
function longRun(steps: number): Exhibit {
  return {
    title: 'A long run',
    allowsSending: false,
    runs: () => Promise.resolve([]),
    send: () => Promise.resolve(undefined),
    follow: async (_, tell, signal, until = steps) => {
      const inspector = createInspector();
      for (let step = Math.max(1, until - stepsAtOnce + 1); step <= until; step += 1) {
        const event = { type: 'message.sent', text: `step ${step}` };
        inspector.note({ type: '@dramaturg.step', sessionId: 'run', step, event });
        inspector.note({ type: '@dramaturg.emitted', sessionId: 'run', event });
      }
      tell({ kind: 'status', live: false, because: 'Repeating the recorded steps.' });
      tell({ kind: 'recording', sources: [], ...inspector.recording() });
      tell({ kind: 'status', live: false });
      // The server follows a run until the page goes away.
      if (!signal.aborted) await once(signal, 'abort');
    },
  };
}

async function served(exhibit: Exhibit): Promise<void> {
  const { url, close } = await serveInspector(exhibit);
  const token = new URL(url).searchParams.get('token')!;
  const request = globalThis.fetch;
  // The page asks its own origin, with a cookie.
  vi.stubGlobal('fetch', (path: string, init: RequestInit) =>
    request(new URL(path, url), { ...init, headers: { authorization: `Bearer ${token}` } }),
  );
  onTestFinished(async () => {
    vi.unstubAllGlobals();
    await close();
  });
}

test.each([1, 40, 41, 250])('all %i steps of a run are loaded, in order', async (steps) => {
  await served(longRun(steps));
  const progress: (readonly [number, number])[] = [];
  const doings = await loadDoings('run', AbortSignal.timeout(30_000), {
    onProgress: (first, last) => progress.push([first, last]),
  });
  expect(doings.map(({ words }) => words)).toEqual(
    Array.from({ length: steps }, (_, index) => `message.sent: step ${index + 1}`),
  );
  expect(doings.map(({ moment }) => moment)).toEqual(
    Array.from({ length: steps }, (_, index) => index + 1),
  );
  // Each part that is not the first one is reported.
  expect(progress).toEqual(
    Array.from({ length: Math.ceil(steps / stepsAtOnce) - 1 }, (_, index) => [
      steps - (index + 1) * stepsAtOnce + 1,
      steps,
    ]),
  );
});

test('the steps up to one of them are loaded, and none up to the beginning', async () => {
  await served(longRun(100));
  const signal = AbortSignal.timeout(30_000);
  const upTo = async (until: number) => (await loadDoings('run', signal, { until })).length;
  expect([await upTo(0), await upTo(1), await upTo(55)]).toEqual([0, 1, 55]);
});

test('a run that cannot be loaded is an error', async () => {
  await served({
    ...longRun(1),
    follow: () => Promise.reject(new Error('The run does not exist.')),
  });
  await expect(loadDoings('none', AbortSignal.timeout(30_000))).rejects.toThrow(
    'The run "none" could not be loaded.',
  );
});
