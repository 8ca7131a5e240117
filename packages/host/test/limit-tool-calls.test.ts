import type { Port } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { limitToolCalls } from '../src/index.ts';

/** A tool whose calls end one by one, by `ends`. */
function stage() {
  const ends: (() => void)[] = [];
  const callTool: Port<'callTool'> = () =>
    new Promise((resolve) => {
      ends.push(() => resolve({ result: null }));
    });
  const port = limitToolCalls(callTool);
  const call = (most: number | undefined, waits: boolean, signal = new AbortController().signal) =>
    Promise.resolve(
      port(
        {
          key: 'k',
          tool: 't',
          arguments: {},
          ...(most !== undefined && { concurrency: { most, waits } }),
        },
        { signal, onText: () => {} },
      ),
    );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { ends, call, turn };
}

test('calls wait for those that run, in their order', async () => {
  const { ends, call, turn } = stage();
  const done: number[] = [];
  for (const index of [0, 1, 2]) void call(1, true).then(() => done.push(index));
  await turn();
  expect(ends).toHaveLength(1);
  for (const count of [1, 2, 3]) {
    ends[count - 1]!();
    await turn();
    expect(done).toEqual([0, 1, 2].slice(0, count));
    expect(ends).toHaveLength(Math.min(count + 1, 3));
  }
});

test('a call that does not wait fails, and calls without a limit are never held', async () => {
  const { ends, call, turn } = stage();
  void call(undefined, false);
  void call(undefined, false);
  await expect(call(2, false)).rejects.toMatchObject({ error: 'RateLimitExceeded' });
  ends[0]!();
  await turn();
  void call(2, false);
  await turn();
  expect(ends).toHaveLength(3);
});

test('a waiting call that is aborted leaves the queue', async () => {
  const { ends, call, turn } = stage();
  void call(1, true);
  const aborted = new AbortController();
  const given = call(1, true, aborted.signal);
  const next = call(1, true);
  aborted.abort(new Error('too late'));
  await expect(given).rejects.toThrow('too late');
  ends[0]!();
  await turn();
  expect(ends).toHaveLength(2);
  ends[1]!();
  await expect(next).resolves.toEqual({ result: null });
});
