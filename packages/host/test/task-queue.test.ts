import { expect, test } from 'vitest';
import { TaskQueue } from '../src/host/task-queue.ts';

test('a flood of steps lets the event loop run between its batches', async () => {
  const accepted = { accepted: true, state: 'running' } as const;
  const queue = new TaskQueue({
    runSteps: async (tasks) => {
      for (const task of tasks) task.resolve(accepted);
    },
    failure: () => undefined,
    onFailure: (error) => expect.unreachable(String(error)),
    activity: { begin: () => {}, end: () => {} },
    onEmpty: () => {},
  });
  let turns = 0;
  const ticking = new AbortController();
  const tick = () => {
    turns += 1;
    if (!ticking.signal.aborted) setImmediate(tick);
  };
  setImmediate(tick);
  const decide = () => Promise.reject(new Error('The queue itself decides nothing.'));
  await Promise.all(Array.from({ length: 1_000 }, () => queue.step(decide, 'message')));
  ticking.abort();
  expect(turns).toBeGreaterThan(20);
});
