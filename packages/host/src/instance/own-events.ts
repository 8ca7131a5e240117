import type { lifecycle } from '@dramaturg/compiler/format';

/**
 * Events that only the host may send to an instance with a flow. An instance without a flow accepts them from anyone,
 * because no flow could cause them.
 */
const ownEvents: ReadonlySet<string> = new Set<lifecycle.LifecycleEvent['type']>([
  'manual_send',
  'prior_instance_terminal',
  'contact_has_active_instance',
  'instance.recovered',
  'turn.extended',
  'turn.ended',
  'turn.failed',
  'agent.replied',
  'agent.ended',
  'conversation.ended',
  'conversation.flagged',
  'conversation.moved',
]);

export function isOwnEvent(type: string): boolean {
  return ownEvents.has(type);
}
