import { realWorld } from '@dramaturg/compiler/machine';
import { expect, test } from 'vitest';
import { MadeUp } from '../src/layouts/amazon-states/workflow.ts';

test('generated ids and times are recognised, and others are not', () => {
  let time = Date.UTC(2024, 0, 1, 12);
  const madeUp = new MadeUp({ ...realWorld, now: () => time });
  const id = madeUp.world.uuid();
  madeUp.world.now();
  time += 5;
  expect(madeUp.has(`arn:${id}:1`)).toBe(true);
  expect(madeUp.has('2024-01-01T12:00:00.000Z')).toBe(true);
  expect(madeUp.has(Date.UTC(2024, 0, 1, 12))).toBe(true);
  expect(madeUp.has('2024-01-01T12:00:00.005Z')).toBe(false);
  expect(madeUp.has(time)).toBe(false);
  expect(madeUp.has('arn:1')).toBe(false);
  expect(madeUp.has(true)).toBe(false);
});
