import { expect, test } from 'vitest';
import { exactly } from '../src/layouts/amazon-states/compare.ts';
import { traceDifference } from '../src/layouts/amazon-states/workflow.ts';

const enter = (name: string, input = {}) => ({ enter: name, type: 'Pass', input });
const exit = (name: string, output = {}) => ({ exit: name, output });

const events = [enter('A'), exit('A'), enter('B'), exit('B')];

test('an ordered trace differs at the first different event', () => {
  const ordered = { ordered: true, events };
  expect(traceDifference(ordered, events, exactly)).toBeUndefined();
  expect(traceDifference(ordered, [enter('A'), enter('B'), exit('A'), exit('B')], exactly)).toEqual(
    { expected: 'trace[1]: exit A', actual: 'trace[1]: enter B (Pass)' },
  );
  expect(traceDifference(ordered, events.slice(0, 3), exactly)).toEqual({
    expected: 'trace[3]: exit B',
    actual: 'trace[3]: the end',
  });
  expect(traceDifference(ordered, [...events, enter('C')], exactly)).toEqual({
    expected: 'trace[4]: the end',
    actual: 'trace[4]: enter C (Pass)',
  });
});

test('an ordered trace differs if the data of its events differs', () => {
  const ordered = { ordered: true, events: [enter('A', { a: 1 })] };
  expect(traceDifference(ordered, [enter('A', { a: 2 })], exactly)).toEqual({
    expected: 'trace[0] enter A (Pass).input.a: 1',
    actual: 'trace[0] enter A (Pass).input.a: 2',
  });
});

test('a placeholder of the recorder matches anything', () => {
  const ordered = { ordered: true, events: [enter('A', { at: 'from <timestamp>' })] };
  expect(traceDifference(ordered, [enter('A', { at: 'from 2024' })], exactly)).toBeUndefined();
  expect(traceDifference(ordered, [enter('A', { at: 'to 2024' })], exactly)).toBeDefined();
});

test('an unordered trace is compared by the number of times that each name occurs', () => {
  const unordered = { ordered: false, events: [...events, enter('B')] };
  const shuffled = [exit('B'), enter('B'), enter('A', { other: 'data' }), enter('B'), exit('A')];
  expect(traceDifference(unordered, shuffled, exactly)).toBeUndefined();
  expect(traceDifference(unordered, shuffled.slice(1), exactly)).toEqual({
    expected: 'trace: 1 × exit B',
    actual: 'trace: 0 × exit B',
  });
  expect(traceDifference(unordered, [...shuffled, enter('C')], exactly)).toEqual({
    expected: 'trace: 0 × enter C (Pass)',
    actual: 'trace: 1 × enter C (Pass)',
  });
});
