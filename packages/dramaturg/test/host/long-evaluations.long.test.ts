import { Worker } from 'node:worker_threads';
import type { EventObject } from '@dramaturg/compiler';
import { InstanceHistory } from '@dramaturg/host';
import { isSlowStep, until } from '@dramaturg/testing';
import { behaviours } from '../../src/host.ts';
import { compile, createHost, type Host, memoryStore } from 'dramaturg';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';

/** Sorting takes a third of the work that a state may do, and far more than a step does before it leaves it to a thread. */
const sorted = (from: string) =>
  `$sort($map([1..10000], function($i) { ($i * 7919 + ${from}) % 10007 }), function($a, $b) { $a > $b })[5000]`;

const middle = (from: number) =>
  Array.from({ length: 10_000 }, (_, at) => ((at + 1) * 7_919 + from) % 10_007).toSorted(
    (a, b) => a - b,
  )[5_000]!;

const workflow = (states: object) =>
  compile(JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'A', States: states }), {
    fileName: 'long.asl.json',
  });

/** The thread of a process is kept, so what is posted to it counts. */
const posted = vi.spyOn(Worker.prototype, 'postMessage');
afterAll(() => posted.mockRestore());

async function run(states: object, input: object = {}) {
  const errors: unknown[] = [];
  const host = await createHost({
    store: memoryStore(),
    definitions: { long: workflow(states) },
    onError: (error) => {
      if (!isSlowStep(error)) errors.push(error);
    },
  });
  onTestFinished(() => host.stop({ within: 0 }));
  const { id } = await host.start('long', { input: { input } });
  return { host, id, errors };
}

async function eventsOf(host: Host, id: string): Promise<EventObject[]> {
  const lines = await host.journal(id, { from: 0, limit: 1000 });
  return lines.map((line) => (line as unknown as { readonly event: EventObject }).event);
}

async function ended({ host, id }: Awaited<ReturnType<typeof run>>) {
  await until(async () => (await host.get(id)).ended, 'the end');
  return (await eventsOf(host, id)).find(({ type }) => type === 'workflow.ended');
}

test('a short evaluation needs no thread', async () => {
  const running = await run({ A: { Type: 'Pass', Output: '{% 1 + 1 %}', End: true } });
  expect(await ended(running)).toMatchObject({ output: 2 });
  expect(posted).not.toHaveBeenCalled();
});

test('long evaluations happen in a thread, in the first step and in later ones, and a replay decides the same', async () => {
  const running = await run(
    {
      A: {
        Type: 'Pass',
        Assign: { drawn: '{% $random() %}', first: `{% ${sorted('$states.input.n')} %}` },
        Output:
          '{% $sort($shuffle([1..20000]) ~> $map(function($i) { $random() }))[19990] & $uuid() %}',
        Next: 'W',
      },
      W: { Type: 'Wait', Seconds: 0, Next: 'T' },
      T: {
        Type: 'Task',
        Resource: 'arn:aws:states:us-east-1:123456789012:activity:x',
        Output: `{% [$first, ${sorted('$states.result')}] %}`,
        Next: 'C',
      },
      C: {
        Type: 'Choice',
        Choices: [{ Condition: `{% ${sorted('0')} = ${middle(0)} and $drawn < 1 %}`, Next: 'E' }],
        Default: 'F',
      },
      E: { Type: 'Succeed', Output: '{% $states.input %}' },
      F: { Type: 'Fail' },
    },
    { n: 5 },
  );
  const { host, id } = running;
  const scheduled = async () =>
    (await eventsOf(host, id)).find(({ type }) => type === 'task.scheduled');
  await until(async () => (await scheduled()) !== undefined, 'the task');
  const token = (await scheduled())!['token'] as string;
  await Promise.all([
    host.send(id, { type: 'task.heartbeat', token }),
    host.send(id, { type: 'task.succeeded', token, output: 3 }),
  ]);
  expect(await ended(running)).toMatchObject({ output: [middle(5), middle(3)] });
  expect(posted.mock.calls.length).toBeGreaterThanOrEqual(4);
  const history = new InstanceHistory({ id, charts: await host.charts(id), behaviours });
  const lines = await host.journal(id, { from: 0, limit: 1000 });
  await history.take(lines, lines.length);
  expect(history.departures).toEqual([]);
});

test('many states in one step may each sort long lists', async () => {
  const names = Array.from({ length: 16 }, (_, at) => (at === 0 ? 'A' : `S${at}`));
  const states = names.map((name, at) => [
    name,
    {
      Type: 'Pass',
      Output: `{% ${sorted('7')} %}`,
      ...(at === 15 ? { End: true } : { Next: names[at + 1] }),
    },
  ]);
  posted.mockClear();
  const running = await run(Object.fromEntries(states) as object);
  expect(await ended(running)).toMatchObject({ status: 'succeeded', output: middle(7) });
  expect(running.errors).toEqual([]);
  // Each evaluation is done once.
  expect(posted).toHaveBeenCalledTimes(16);
});

test('many short evaluations in one step take turns of the event loop, and no thread', async () => {
  const names = Array.from({ length: 450 }, (_, at) => (at === 0 ? 'A' : `S${at}`));
  const states = names.map((name, at) => [
    name,
    {
      Type: 'Pass',
      Output: '{% $sum([1..400].($ * 2)) %}',
      ...(at === 449 ? { End: true } : { Next: names[at + 1] }),
    },
  ]);
  posted.mockClear();
  const running = await run(Object.fromEntries(states) as object);
  expect(await ended(running)).toMatchObject({ status: 'succeeded', output: 160_400 });
  expect(posted).not.toHaveBeenCalled();
});

test('a thread counts the work of its state, which fails when there is too much', async () => {
  const running = await run({
    A: {
      Type: 'Pass',
      Output: '{% [1..3000].([1..3000][$ = 1]) %}',
      End: true,
    },
  });
  expect(await ended(running)).toMatchObject({
    error: 'States.QueryEvaluationError',
    cause: expect.stringContaining('does too much work') as string,
  });
});
