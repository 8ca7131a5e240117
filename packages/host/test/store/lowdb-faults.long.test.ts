import { describe, expect, test } from 'vitest';
import { failOpenings, failOperations } from './failing-operations.ts';

describe.each([
  ['EIO', 1],
  ['ENOSPC', 4],
  ['EACCES', 5],
] as const)('%s', (code, stride) => {
  test('in any operation loses no acknowledged write and damages no record', async () => {
    expect(await failOperations(code, stride, 30)).toBeGreaterThan(400 / stride);
  });

  test('in any operation of an opening lets go of the lock', async () => {
    expect(await failOpenings(code, stride)).toBeGreaterThan(20 / stride);
  });
});
