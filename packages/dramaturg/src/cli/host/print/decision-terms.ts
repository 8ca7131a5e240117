import type { OpenDecision } from '@dramaturg/host';

/** What can be decided, and what whoever decides has to heed. */
export function termsOf({
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
    ...(editable ? [`free to change: ${editable.join(', ')}`] : []),
    ...(batch ? [`${batch.items.length} items`] : []),
  ].join('; ');
}
