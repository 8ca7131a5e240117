import { counted } from '@dramaturg/compiler';
import type { OpenDecision } from '@dramaturg/host';

/** The terms of a decision in words: its options, who may decide, and the rules for that person. */
export function decisionTerms({
  options,
  approvers,
  excluded = [],
  isExplained,
  editable,
  batch,
}: OpenDecision): string {
  const people = approvers && [
    ...approvers.users,
    ...approvers.roles.map((role) => `the role ${role}`),
  ];
  return [
    options.join(', '),
    ...(people ? [`by ${people.join(' or ')}`] : []),
    ...(excluded.length > 0 ? [`not by ${excluded.map(({ name }) => name).join(', ')}`] : []),
    ...(isExplained ? ['with a comment'] : []),
    ...(editable ? [`editable: ${editable.join(', ')}`] : []),
    ...(batch ? [counted(batch.items.length, 'item')] : []),
  ].join('; ');
}
