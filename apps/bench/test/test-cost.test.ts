import { expect, test } from 'vitest';
import { bareRun } from '../src/tests/bare-run.ts';
import { testRun } from '../src/tests/test-run.ts';
import { testedDefinitions } from '../src/tests/tested-definitions.ts';

test.for(testedDefinitions)(
  'the test of the $format does the same as its bare machine',
  async (tested) => {
    expect(await bareRun(tested)).toBe(tested.state);
    expect(await testRun(tested)).toBe(tested.state);
  },
);
