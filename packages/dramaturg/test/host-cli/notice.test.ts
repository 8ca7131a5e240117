import type { HostEvent } from '@dramaturg/host';
import { expect, test } from 'vitest';
import { Notices } from '../../src/cli/host/watch-host.ts';

function ended(failure_reason: string | null): HostEvent {
  const event = { type: 'instance.ended', state: 'FAILED', failure_reason };
  return { instance: 'a', source: 'lifecycle', event } as unknown as HostEvent;
}

test.for([
  ['no agent', 'a has failed: no agent'],
  ['cancelled', undefined],
  [null, undefined],
] as const)('an end with the reason %j is the notice %j', ([reason, text]) => {
  expect(new Notices().of(ended(reason))?.text).toBe(text);
});
