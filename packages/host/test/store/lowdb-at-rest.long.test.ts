import { expect, test } from 'vitest';
import { damageStores } from './damages-at-rest.ts';

test('one file that was cut, emptied, changed or replaced by an older copy is noticed, or nothing is lost by it (five hundred times)', async () => {
  const { noticed, harmless } = await damageStores(500);
  expect(noticed).toBeGreaterThan(166);
  expect(noticed + harmless).toBe(500);
}, 3_600_000);
