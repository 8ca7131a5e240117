import { describe, expect, test } from 'vitest';
import { failOpenings, failOperations } from './failing-operations.ts';

describe.each(['EIO', 'ENOSPC', 'EACCES'])('%s', (code) => {
  test('in each operation loses no acknowledged write and damages no record', async () => {
    expect(await failOperations(code, 1, 30)).toBeGreaterThan(400);
  }, 3_600_000);

  test('in each operation of an opening lets go of the lock', async () => {
    expect(await failOpenings(code, 1)).toBeGreaterThan(20);
  }, 3_600_000);
});
