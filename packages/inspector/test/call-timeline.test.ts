import { createInspector } from '@dramaturg/inspector';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timelineOf, turnBegin } from '../page/src/data/call-timeline.ts';
import type { Call } from '../page/src/data/derive.ts';

let ids = 0;

function call(port: string, askedAt: number, endedAt?: number, more: Partial<Call> = {}): Call {
  ids += 1;
  const key = `call-${ids}`;
  return {
    port,
    key,
    input: { key },
    sessionId: key,
    askedBy: 'flow',
    status: endedAt === undefined ? 'open' : 'answered',
    output: undefined,
    error: undefined,
    askedAt,
    endedAt,
    ...more,
  };
}

test('time without a call is left out of the axis, and waits for people are apart', () => {
  const hour = 3_600_000;
  const calls = [
    call('runAgent', 0, 1_000),
    call('requestDecision', 1_000, hour),
    call('reply', hour, hour + 3_000),
    call('timer', 0, hour),
  ];
  const { bars, gaps, waits, durationMs } = timelineOf(calls, 0, hour + 3_000);
  expect(durationMs).toBe(4_000);
  expect(bars.map(({ from, to }) => [from, to])).toEqual([
    [0, 0.25],
    [0.25, 1],
  ]);
  expect(gaps).toEqual([{ at: 0.25, durationMs: hour - 1_000 }]);
  expect(waits.map(({ port }) => port)).toEqual(['requestDecision']);
});

test('a call of an earlier turn is shown only if it has gone on in this one', () => {
  const calls = [call('reply', 0, 100), call('runAgent', 50, 900), call('extract', 60)];
  const { bars } = timelineOf(calls, 500, 1_000);
  expect(bars.map(({ call: { port } }) => port)).toEqual(['runAgent', 'extract']);
});

test('a call that repeats a failed one is its next attempt, whatever its key', () => {
  const failed = { status: 'failed' } as const;
  const asks = (agent: string) => ({ input: { agent, key: `key-${ids}` } });
  const calls = [
    call('runAgent', 0, 1, { ...asks('Price'), ...failed }),
    call('runAgent', 2, 3, { ...asks('Price'), ...failed }),
    call('runAgent', 2, 3, asks('Pack')),
    call('runAgent', 4, 5, asks('Price')),
    call('runAgent', 6, 7, asks('Price')),
  ];
  expect(timelineOf(calls, 0, 10).bars.map(({ attempt }) => attempt)).toEqual([1, 2, 1, 3, 1]);
});

test('bars of generated calls are in order on the axis, and as long as their calls', () => {
  const times = fc.tuple(fc.nat(100_000), fc.option(fc.nat(100_000), { nil: undefined }));
  fc.assert(
    fc.property(fc.array(times, { maxLength: 40 }), (spans) => {
      const calls = spans.map(([at, lasts]) =>
        call('reply', at, lasts === undefined ? undefined : at + lasts),
      );
      const now = 300_000;
      const { bars, gaps, durationMs } = timelineOf(calls, 0, now);
      expect(bars).toHaveLength(calls.length);
      for (const [index, { call: each, from, to }] of bars.entries()) {
        expect(from).toBeGreaterThanOrEqual(bars[index - 1]?.from ?? 0);
        expect(to).toBeLessThanOrEqual(1 + 1e-9);
        const length = (each.endedAt ?? now) - each.askedAt;
        expect((to - from) * durationMs).toBeCloseTo(length, 3);
      }
      for (const { at } of gaps) expect(at).toBeLessThan(1 + 1e-9);
    }),
  );
});

test('the turn of a moment begins with the last event that started one', () => {
  const inspector = createInspector();
  for (const type of ['turn.started', 'message.sent', 'turn.started', 'message.sent'])
    inspector.note({ type: '@dramaturg.emitted', sessionId: 'lifecycle', event: { type } });
  const { events } = inspector.recording();
  const timed = events.map((event, index) => ({ ...event, createdAt: String(100 * index) }));
  expect([0, 1, 2, 3, 4].map((count) => turnBegin(timed, count))).toEqual([0, 0, 0, 200, 200]);
});
