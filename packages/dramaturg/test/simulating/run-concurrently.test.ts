import { expect, test } from 'vitest';
import { runConcurrently } from '../../src/simulating/simulate.ts';

function promiseWithResolvers() {
  let resolve!: (result: string) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<string>((...both) => {
    [resolve, reject] = both;
  });
  return { promise, resolve, reject };
}

/** Work that ends when the test says so. */
function stage(concurrency: number, count: number) {
  const items = Array.from({ length: count }, (_, index) => index);
  const running = new Map<number, ReturnType<typeof promiseWithResolvers>>();
  const stopped = new Set<number>();
  const results = runConcurrently(items, concurrency, async (item, stop) => {
    const ending = promiseWithResolvers();
    running.set(item, ending);
    stop.addEventListener('abort', () => {
      stopped.add(item);
      ending.resolve('stopped');
    });
    return ending.promise.finally(() => running.delete(item));
  });
  results.catch(() => {});
  const end = async (item: number, error?: Error) => {
    await expect.poll(() => running.has(item)).toBe(true);
    const { promise, resolve, reject } = running.get(item)!;
    if (error) reject(error);
    else resolve(`result ${item}`);
    await promise.catch(() => {});
    await expect.poll(() => running.has(item)).toBe(false);
  };
  return { results, end, stopped, running: () => [...running.keys()] };
}

test('results come in the order of the items, whichever ends first, and no more run than allowed', async () => {
  const { results, end, running } = stage(2, 4);
  expect(running()).toEqual([0, 1]);
  await end(1);
  await expect.poll(running).toEqual([0, 2]);
  await end(2);
  await expect.poll(running).toEqual([0, 3]);
  await end(3);
  expect(running()).toEqual([0]);
  await end(0);
  await expect(results).resolves.toEqual(['result 0', 'result 1', 'result 2', 'result 3']);
});

test('a failure stops later work, waits for earlier work, and the first failure is thrown', async () => {
  const { results, end, stopped, running } = stage(3, 9);
  await end(1, new Error('second'));
  await expect.poll(running).toEqual([0]);
  expect([...stopped]).toEqual([2]);
  await end(0, new Error('first'));
  await expect(results).rejects.toThrow('first');
  expect(running()).toEqual([]);
});

test('nothing to do has no results', async () => {
  await expect(runConcurrently([], 4, async () => 1)).resolves.toEqual([]);
});
