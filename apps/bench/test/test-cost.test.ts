import { expect, test } from 'vitest';
import { bareRun, testedDefinitions, testRun } from '../src/cases/test-cost.ts';

test.for(testedDefinitions)(
  'the test of the $format does the same as its bare machine',
  async (tested) => {
    expect(await bareRun(tested)).toBe(tested.state);
    expect(await testRun(tested)).toBe(tested.state);
  },
);
