import type { DecisionSummary } from '@dramaturg/host';
import type { Chance } from './chance.ts';

/** Somebody who may decide. */
export function deciderOf(
  { approvers, excluded = [], approvals }: DecisionSummary,
  chance: Chance,
): { readonly by: string; readonly roles?: string[] } {
  const out = new Set([
    ...excluded.map(({ name }) => name),
    ...(approvals?.given ?? []).map(({ by }) => by),
  ]);
  const users = (approvers?.users ?? []).filter((name) => !out.has(name));
  const roles = approvers?.roles ?? [];
  if (users.length > 0) return { by: chance.of(users) };
  // Several approvals have to come from several people.
  const others = ['ana', 'bob', 'chloe', 'dan', 'eva'].filter((name) => !out.has(name));
  const by = chance.of(others.length > 0 ? others : ['zoe']);
  return roles.length > 0 ? { by, roles: [chance.of(roles)] } : { by };
}
