import type { Page } from 'playwright-core';

/** Measures of how smoothly a page was drawn during an action. */
export interface FrameTimes {
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
export async function frameTimes(page: Page, act: () => Promise<void>): Promise<FrameTimes> {
  await page.evaluate(startRecorder);
  await act();
  return page.evaluate(() => globalThis.frameRecorder.stop());
}

/** Records frames and tasks. Runs in the page. */
function startRecorder(): void {
  const frames: number[] = [];
  const tasks: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  });
  observer.observe({ type: 'longtask' });
  let isStopped = false;
  const next = (at: number) => {
    frames.push(at);
    if (!isStopped) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  globalThis.frameRecorder = {
    stop: () => {
      isStopped = true;
      for (const { duration } of observer.takeRecords()) tasks.push(duration);
      observer.disconnect();
      const all = frames.at(-1)! - frames[0]!;
      const times = frames.slice(1).map((at, index) => at - frames[index]!);
      const late = times.filter((time) => time > 33.5).reduce((sum, time) => sum + time, 0);
      return {
        meanMs: all / times.length,
        late: late / all,
        longestTaskMs: Math.max(0, ...tasks),
      };
    },
  };
}
