import type { Port, PortCall, PortError, PortInput, Ports, Usage } from '@dramaturg/compiler';
import { limitPorts, type Limits } from '@dramaturg/host';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Waits } from '../src/admission/deadline.ts';
import { askWithinLimits } from '../src/limits/ask-within-limits.ts';
import { noUsage } from '../src/limits/index.ts';

const ask = (key: string): PortInput<'think'> => ({
  key,
  transcript: { conversation: 'c', length: 0 },
  prompt: [],
});
const calling = (signal = new AbortController().signal): PortCall => ({ signal, onText: () => {} });
const usage = (changes: Partial<Usage> = {}): Usage => ({
  model: 'gpt-6-luna',
  requests: 1,
  inputTokens: 1_000,
  outputTokens: 500,
  ...changes,
});
const thinker =
  (changes: Partial<Usage> = {}): Port<'think'> =>
  ({ key }) => ({ text: key, usage: usage(changes) });

/** Asks as often as the limits allow, at most ten times. */
async function askedUntil(
  think: Port<'think'>,
  limits: Limits,
): Promise<{ readonly answered: number; readonly error: PortError | undefined }> {
  const ports = limitPorts({ think }, limits);
  for (let call = 0; call < 10; call += 1) {
    try {
      await ports.think(ask(String(call)), calling());
    } catch (error) {
      return { answered: call, error: error as PortError };
    }
  }
  return { answered: 10, error: undefined };
}

test.each([
  [undefined, 0.001 + 0.005],
  [0.1, 0.0001 + 0.00009 + 0.005],
])('input from a cache is charged at %d, or like other input', async (cachedInput, cost) => {
  const prices = { 'gpt-6-luna': { input: 1, output: 10, cachedInput } };
  const { think } = limitPorts({ think: thinker({ cachedInputTokens: 900 }) }, { prices });
  expect((await think(ask('a'), calling())).usage?.cost).toBeCloseTo(cost, 9);
});

test.for([
  [{}, 10, undefined],
  [{ calls: 3 }, 3, 'The limit of calls is reached: 3 of 3 used.'],
  [{ calls: 0 }, 0, 'The limit of calls is reached: 0 of 0 used.'],
  [{ tokens: 4_000 }, 3, 'The limit of tokens is reached: 4,500 of 4,000 used.'],
  [{ cost: 0.01, prices: { 'gpt-6-luna': { input: 1, output: 10 } } }, 2, '0.012 of 0.01 used.'],
  [{ cost: 0.01 }, 1, 'the price of the model "gpt-6-luna" is unknown.'],
] as const)('with the limits %j a port is asked %i times', async ([limits, times, sentence]) => {
  const { answered, error } = await askedUntil(thinker(), limits);
  expect(answered).toBe(times);
  expect(error?.code).toBe(sentence && 'port/limit-reached');
  expect(error?.message ?? '').toContain(sentence ?? '');
});

test('calls that are made at the same time count before they are answered', async () => {
  const { think } = limitPorts({ think: thinker() }, { calls: 2 });
  const asked = ['1', '2', '3'].map(async (key) => think(ask(key), calling()));
  const endings = await Promise.allSettled(asked);
  expect(endings.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});

test('a price is that of the very model, also of a dated version or by its provider, and of nothing else', async () => {
  const prices = { 'gpt-6-luna': { input: 1, output: 10 } };
  const costOf = async (changes: Partial<Usage>) => {
    const { think } = limitPorts({ think: thinker(changes) }, { prices });
    return (await think(ask('1'), calling())).usage?.cost;
  };
  expect(await costOf({})).toBe(0.006);
  expect(await costOf({ model: 'gpt-6-luna-2026-09-22' })).toBe(0.006);
  expect(await costOf({ model: 'gpt-6-luna-20260922' })).toBe(0.006);
  expect(await costOf({ model: 'openai:gpt-6-luna-2026-09-22' })).toBe(0.006);
  expect(await costOf({ cost: 3 })).toBe(3);
  for (const model of [
    'gpt-6-luna-mini',
    'gpt',
    'openai:gpt-6-luna:free',
    'constructor',
    '__proto__',
  ])
    expect(await costOf({ model })).toBe(undefined);
});

test('a price by a provider is that of the model, unless another provider has one', async () => {
  const costOf = async (model: string, ...names: readonly string[]) => {
    const prices = Object.fromEntries(names.map((name) => [name, { input: 1, output: 10 }]));
    const { think } = limitPorts({ think: thinker({ model }) }, { prices });
    return (await think(ask('1'), calling())).usage?.cost;
  };
  for (const model of ['gpt-6-luna', 'gpt-6-luna-2026-09-22', 'openai:gpt-6-luna'])
    expect(await costOf(model, 'openai:gpt-6-luna', 'openai:gpt-6-luna-mini')).toBe(0.006);
  expect(await costOf('llama3:8b', 'ollama:llama3:8b')).toBe(0.006);
  expect(await costOf('gpt-6-luna', 'openai:gpt-6-luna', 'azure:gpt-6-luna')).toBe(undefined);
  for (const model of ['azure:gpt-6-luna', 'gpt-6-luna-mini', 'openai'])
    expect(await costOf(model, 'openai:gpt-6-luna')).toBe(undefined);
});

test('a port that does not answer in time fails then, whether it listens or not', async () => {
  let isAborted = false;
  const reply: Port<'reply'> = (_, { signal }) => {
    signal.addEventListener('abort', () => (isAborted = true));
    return new Promise(() => {});
  };
  const ports = limitPorts({ reply }, { call: { time: 20 } });
  const asked = { ...ask('1'), asks: [], directions: [], tools: [] };
  await expect(ports.reply(asked, calling())).rejects.toMatchObject({
    code: 'port/limit-reached',
    port: 'reply',
    message:
      '"reply" did not answer within 20 ms. To wait longer, raise limits.call.time (--max-call-time) or limits.time (--max-time).',
  });
  expect(isAborted).toBe(true);
});

const waits: Waits = {
  now: 0,
  after: (milliseconds, call) => {
    const timeout = setTimeout(call, milliseconds);
    return () => clearTimeout(timeout);
  },
};

test('the timeout of a host holds without limits, and not for a decision of a person', async () => {
  const allowance = { limits: {}, timeout: 20, used: noUsage, callsRunning: () => 0, waits };
  const silent = () => new Promise<never>(() => {});
  const call = calling();
  const outcome = askWithinLimits('think', silent, ask('1'), call, allowance);
  expect(await outcome).toMatchObject({
    ending: { error: { code: 'port/timed-out', port: 'think', message: /within 20 ms/ } },
    use: { time: 0 },
  });
  const decided = () =>
    new Promise<{ decision: string }>((resolve) =>
      setTimeout(() => resolve({ decision: 'yes' }), 60),
    );
  const question = { key: '1', prompt: 'Sure?', options: [{ id: 'yes', description: 'Yes.' }] };
  const decision = askWithinLimits('requestDecision', decided, question, call, allowance);
  expect(await decision).toEqual({ ending: { output: { decision: 'yes' } } });
});

test('what calls take together is limited, and the last one has what is left', async () => {
  const slow: Port<'think'> = () =>
    new Promise((resolve) => setTimeout(() => resolve({ text: '' }), 30));
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asking = askedUntil(slow, { time: 100 });
  await vi.advanceTimersByTimeAsync(1_000);
  const { answered, error } = await asking;
  expect(answered).toBe(3);
  expect(error?.code).toBe('port/limit-reached');
});

test('a call that is not wanted any more is aborted within its time', async () => {
  const leaving = new AbortController();
  const think: Port<'think'> = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  const asked = limitPorts({ think }, { call: { time: 60_000 } }).think(
    ask('1'),
    calling(leaving.signal),
  );
  leaving.abort(new Error('paused'));
  await expect(asked).rejects.toMatchObject({ code: 'port/failed', message: /paused/ });
});

test('a port is told how many tokens its answer may take, when those are few', async () => {
  const emitted: unknown[] = [];
  const think: Port<'think'> = (_, { maxTokens }) => {
    emitted.push(maxTokens);
    return { text: '', usage: usage() };
  };
  const ports = limitPorts({ think }, { tokens: 4_000, call: { tokens: 2_000 } });
  for (const key of ['1', '2', '3']) await ports.think(ask(key), calling());
  expect(emitted).toEqual([2_000, 2_000, 1_000]);
  emitted.length = 0;
  await limitPorts({ think }, {}).think(ask('4'), calling());
  await limitPorts({ think }, { call: { tokens: 50_000 } }).think(ask('5'), calling());
  const running = limitPorts({ think }, { tokens: 6_000 });
  for (const key of ['6', '7', '8']) await running.think(ask(key), calling());
  expect(emitted).toEqual([undefined, undefined, undefined, undefined, 3_000]);
});

test('waiting for a time or a person uses nothing up', async () => {
  const timer: Ports['timer'] = ({ at }) => ({ firedAt: at });
  const ports = limitPorts({ timer, think: thinker() }, { calls: 1, call: { time: 1_000 } });
  for (const key of ['1', '2', '3']) await ports.timer({ key, at: 5 }, calling());
  expect(await ports.think(ask('4'), calling())).toMatchObject({ text: '4' });
});

test.for([
  [{ token: 5 }, 'The limits are wrong: Unrecognized key: "token".'],
  [{ tokens: 'many' }, 'The limits are wrong at tokens: '],
  [{ calls: 1.5 }, 'The limits are wrong at calls: '],
  [{ prices: { m: 3 } }, 'The limits are wrong at prices.m: '],
] as const)('%j is no limit', ([limits, sentence]) => {
  expect(() => limitPorts({}, limits as object)).toThrow(sentence);
});
