import { expect, test } from 'vitest';
import { shareWithInterval } from '../../src/simulating/report.ts';

// Reference values of the Wilson score interval.
test.each([
  [0.5, 10, 0.237, 0.763],
  [1, 10, 0.722, 1],
  [0, 10, 0, 0.278],
  [0.9, 100, 0.826, 0.945],
])('the interval of %d in %i runs is from %d to %d', (share, count, low, high) => {
  const interval = shareWithInterval(share, count);
  expect(interval.low).toBeCloseTo(low, 3);
  expect(interval.high).toBeCloseTo(high, 3);
});

test('without runs nothing is known', () => {
  expect(shareWithInterval(0, 0)).toEqual({ share: 0, low: 0, high: 1 });
});
