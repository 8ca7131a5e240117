import { expect, test } from 'vitest';
import { ContactLine } from '../../src/contact/contact-object.ts';
import type { LinePosition } from '../../src/instance/messages.ts';

const position = (id: string, more: Partial<LinePosition> = {}): LinePosition => ({
  id,
  createdAt: 1,
  revision: 1,
  updatedAt: 1,
  status: 'ACTIVE',
  ended: false,
  holds: false,
  waits: false,
  ...more,
});

test('the holder and the first that waits are found by the order of creation', () => {
  const line = new ContactLine();
  line.add(position('a', { holds: true }));
  line.add(position('b'));
  line.add(position('c', { waits: true }));
  line.add(position('d', { waits: true }));
  expect([line.holder, line.firstWaiting]).toEqual(['a', 'c']);
});

test('a position that arrives late changes nothing', () => {
  const line = new ContactLine();
  line.add(position('a', { holds: true, revision: 3 }));
  line.update(position('a', { revision: 2 }));
  expect(line.holder).toBe('a');
  line.update(position('a', { revision: 4, ended: true, holds: false }));
  line.update(position('a', { revision: 5, holds: true }));
  expect([line.holder, line.ids]).toEqual([undefined, []]);
});

test('times of creation increase, also within one millisecond and when a clock is behind', () => {
  const line = new ContactLine();
  line.add(position('a', { createdAt: line.nextCreatedAt(1_000) }));
  line.add(position('b', { createdAt: line.nextCreatedAt(1_000) }));
  line.add(position('c', { createdAt: line.nextCreatedAt(900) }));
  const next = line.nextCreatedAt(1_000);
  expect(next).toBeGreaterThan(1_000.002);
  expect(next).toBeLessThan(1_001);
});
