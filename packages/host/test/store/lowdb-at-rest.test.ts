import { expect, test } from 'vitest';
import { scaled } from '../../../../.config/scaled.ts';
import { damageStores } from './damages-at-rest.ts';

test('one file that was cut, emptied, changed or replaced by an older copy is noticed, or nothing is lost by it', async () => {
  const count = scaled(200);
  const { noticed, harmless } = await damageStores(count);
  expect(noticed).toBeGreaterThan(count / 3);
  expect(noticed + harmless).toBe(count);
});
