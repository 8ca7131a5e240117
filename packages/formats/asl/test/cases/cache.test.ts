import type { JsonObject } from '@dramaturg/compiler';
import { memoryPorts } from '@dramaturg/testing';
import { expect, test } from 'vitest';
import { chain, failure, only, run, type RunOptions, task } from '../run.ts';

/** Sections B.12 and B.13: cached answers. */

const ask = (...parts: JsonObject[]) => task({ Cache: {}, ResultPath: '$.answer' }, ...parts);
const counting = { A: (_: unknown, { calls }: { calls: number }) => ({ n: calls }) };

const cached = (definition: JsonObject, options: RunOptions = {}) =>
  run(definition, { agents: counting, ...options });

test('a cached question is not asked again, also after a crash', async () => {
  const same = { Parameters: { 'q.$': '$.q' } };
  for (const recover of [false, true]) {
    // oxlint-disable-next-line no-await-in-loop -- Two independent runs.
    const { output, calls, events } = await cached(chain({ One: ask(same), Two: ask(same) }), {
      input: { q: 'tea?' },
      recover,
    });
    expect(output).toEqual({ status: 'succeeded', output: { q: 'tea?', answer: { n: 1 } } });
    expect(calls).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'cache.hit')).toMatchObject([{ state: 'Two' }]);
  }
});

test.for([
  [{}, 2],
  [{ Cache: { 'Key.$': '$.q' } }, 1],
  [{ Cache: { Key: 'all' } }, 1],
  [{ Cache: { Key: 'all', Enabled: false } }, 2],
  [{ Cache: undefined, CacheResult: true, Parameters: {} }, 1],
] as const)(
  'the input of the agent makes two calls the same, or the key: %j',
  async ([block, count]) => {
    const state = JSON.parse(JSON.stringify({ ...ask(), ...block })) as JsonObject;
    const { calls } = await cached(chain({ One: state, Two: state }), { input: { q: 1 } });
    expect(calls).toHaveLength(count);
  },
);

test.for([
  ['1h', 2],
  ['2h', 1],
  ['never', 1],
] as const)('an answer is good for its time: %s', async ([ttl, count]) => {
  const state = ask({ Cache: { Key: 'k', TTL: ttl } });
  const workflow = chain({ One: state, Wait: { Type: 'Wait', Seconds: 3600 }, Two: state });
  expect((await cached(workflow)).calls).toHaveLength(count);
});

test.for([
  ['execution', 2, 2],
  ['workflow', 1, 2],
  ['global', 1, 1],
] as const)('who shares an answer: %s', async ([scope, sameWorkflow, otherWorkflow]) => {
  const state = only(ask({ Cache: { Key: 'k', Scope: scope } }));
  const callsOf = async (second: string) => {
    const ports = memoryPorts();
    const first = await cached(state, { ports, start: { name: 'one', id: 'x1' } });
    const next = await cached(state, { ports, start: { name: second, id: 'x2' } });
    return first.calls.length + next.calls.length;
  };
  expect(await callsOf('one')).toBe(sameWorkflow);
  expect(await callsOf('two')).toBe(otherWorkflow);
});

test('a cached answer costs nothing, and later phases run as usual', async () => {
  const state = ask({
    Cache: { Key: 'k' },
    Budget: { MaxTokens: 10 },
    Memory: { Write: { Key: 'last', 'Value.$': '$.answer.text' } },
  });
  const kept: unknown[] = [];
  const ports = memoryPorts();
  const { output, calls } = await run(chain({ One: state, Two: state }), {
    agents: { A: () => ({ text: 'tea', _tokens: 10 }) },
    ports: {
      ...ports,
      remember: (input, call) => {
        if (!input.namespace?.startsWith('cache')) kept.push(input.value);
        return ports.remember(input, call);
      },
    },
  });
  expect(output).toMatchObject({ status: 'succeeded', usage: { tokens: 10 } });
  expect(calls).toHaveLength(1);
  expect(kept).toEqual(['tea', 'tea']);
});

test('the error of an agent is not cached', async () => {
  const retried = ask({ Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 0 }] });
  const { output, calls } = await run(only(retried), {
    agents: {
      A: (_, { calls: count }) => {
        if (count === 1) throw failure('Busy');
        return count;
      },
    },
  });
  expect(calls).toHaveLength(2);
  expect(output).toMatchObject({ output: { answer: 2 } });
});

test('the failure of a cache is emitted, and the agent works without it', async () => {
  const down = () => Promise.reject(new Error('The disk is full.'));
  const { output, events } = await cached(only(ask()), { ports: { recall: down, remember: down } });
  expect(output).toMatchObject({ status: 'succeeded', output: { answer: { n: 1 } } });
  expect(events.filter(({ type }) => type === 'cache.failed')).toEqual([
    { type: 'cache.failed', state: 'S', because: 'The disk is full.' },
    { type: 'cache.failed', state: 'S', because: 'The disk is full.' },
  ]);
});

test.for([
  [{ IdempotencyKey: 'once' }, 'once'],
  [{ 'IdempotencyKey.$': "States.Format('order-{}', $.id)" }, 'order-7'],
  [{ Idempotent: true }, 'x/workflow/2'],
] as const)('every attempt has the key of the definition: %j', async ([fields, key]) => {
  const again = { Retry: [{ ErrorEquals: ['Busy'], MaxAttempts: 1, IntervalSeconds: 0 }] };
  const { calls } = await run(chain({ First: { Type: 'Pass' }, S: task(fields, again) }), {
    input: { id: 7 },
    start: { id: 'x' },
    agents: { A: () => Promise.reject(failure('Busy')) },
  });
  expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual([key, key]);
  expect(new Set(calls.map((call) => call.key)).size).toBe(2);
});
