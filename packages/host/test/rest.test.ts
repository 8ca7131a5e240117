import { expect, test } from 'vitest';
import { unknownInstance } from '../src/errors.ts';
import { restOf } from '../src/host/rest.ts';

test('an instance whose child is not stored yet does something', async () => {
  const view = {
    contact: 'ada',
    ended: false,
    waits: [
      { for: 'call', source: 'flow', key: 'k', port: 'runAgent', path: [], instance: 'child' },
    ],
    isAnswering: true,
    children: ['child'],
  } as const;
  const get = async (id: string) => {
    throw unknownInstance(id);
  };
  expect(await restOf({ get }, view)).toBeUndefined();
});
