import { expect, test } from 'vitest';
import { damageStores } from './damages-at-rest.ts';

test('one file that was cut, emptied, changed or replaced by an older copy is noticed, or nothing is lost by it', async () => {
  const { noticed, harmless } = await damageStores(60);
  expect(noticed).toBeGreaterThan(20);
  expect(noticed + harmless).toBe(60);
}, 120_000);
