import type { OpenDecision } from '@dramaturg/host';
import type { Operator } from '../../service/protocol.ts';

/** Whether a decision is meant for somebody, by name or by role. The service has the last word. */
export function maybeDecidedBy({ approvers, excluded = [] }: OpenDecision, me: Operator): boolean {
  if (excluded.some(({ name }) => name.toLowerCase() === me.name.toLowerCase())) return false;
  return (
    approvers !== undefined &&
    (approvers.users.some((name) => name.toLowerCase() === me.name.toLowerCase()) ||
      approvers.roles.some((role) => me.roles.includes(role)))
  );
}
