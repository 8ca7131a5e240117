/**
 * Events that only a host tells an instance: from anyone else they would be a forgery. A lifecycle that performs nothing
 * has no others to tell it, and takes them from anyone.
 */
const ownEvents = new Set([
  'manual_send',
  'prior_instance_terminal',
  'contact_has_active_instance',
  'instance.recovered',
  'turn.ended',
  'turn.failed',
  'agent.replied',
  'agent.ended',
]);

export function isOwnEvent(type: string): boolean {
  return ownEvents.has(type);
}
