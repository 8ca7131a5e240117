import { expect, test } from 'vitest';
import { references } from '../src/entries/format.ts';
import type { Behaviour } from '../src/entries/machine.ts';

const behaviour = {
  contexts: {},
  guards: { isAbove: (_scope, { limit }: { limit: number }) => limit > 0 },
  actions: { close: () => ({}) },
  inputs: {},
  outputs: {},
} satisfies Behaviour;

test('a reference is the name, followed by the params where there are any', () => {
  const { guard, action } = references<typeof behaviour>();

  expect(JSON.stringify(guard('isAbove', { limit: 1 }))).toBe(
    '{"type":"isAbove","params":{"limit":1}}',
  );
  expect(action('close')).toStrictEqual({ type: 'close' });
});
