import type { PortInput } from '@dramaturg/compiler';
import type { MadeCall } from '../testing/scripted-ports.ts';

/**
 * What the last message asks for, the most urgent first; undefined without a message. A reminder asks for nothing: the question
 * before it is still open.
 */
export function askedIn(calls: readonly MadeCall[]): PortInput<'reply'>['asks'] | undefined {
  const call = calls.findLast(({ port, input }) => port === 'reply' && !isReminder(input));
  return (call?.input as PortInput<'reply'> | undefined)?.asks;
}

function isReminder({ key }: MadeCall['input']): boolean {
  return typeof key === 'string' && key.endsWith('/follow-up');
}
