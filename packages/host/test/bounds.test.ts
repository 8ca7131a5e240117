import { expect, test } from 'vitest';
import { boundsOf } from '../src/host/bounds.ts';
import type { HostOptions } from '../src/host/options.ts';

const given = (bounds: Partial<HostOptions>) => boundsOf(bounds);

test('a bound is a number, or a number for each port or channel, and has a default', () => {
  const { callConcurrencyOf, callTimeoutOf, deliveryConcurrencyOf } = given({
    callConcurrency: 5,
    callTimeout: { reply: 1_000, think: Infinity },
    deliveryConcurrency: { main: 2 },
  });
  expect([callConcurrencyOf('reply'), callConcurrencyOf('runAgent')]).toEqual([5, 5]);
  expect([callTimeoutOf('reply'), callTimeoutOf('think')]).toEqual([1_000, Infinity]);
  expect([callTimeoutOf('extract'), callTimeoutOf('runAgent')]).toEqual([600_000, 3_600_000]);
  expect([deliveryConcurrencyOf('main'), deliveryConcurrencyOf('toString')]).toEqual([2, 64]);
});

test('people who decide take no slot', () => {
  expect(given({ callConcurrency: 1 }).callConcurrencyOf('requestDecision')).toBe(Infinity);
});

test.each([
  ['callConcurrency', { callConcurrency: 0 }],
  ['callTimeout', { callTimeout: { reply: Number.NaN } }],
  ['deliveryConcurrency', { deliveryConcurrency: { main: -1 } }],
  ['deliveryTimeout', { deliveryTimeout: 'soon' as unknown as number }],
])('a bound that bounds nothing or everything is refused: %s', (name, bounds) => {
  expect(() => given(bounds)).toThrow(`The option "${name}" is `);
});
