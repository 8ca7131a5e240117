import type { ConditionKind } from './kind.ts';

export interface Terms {
  readonly deliverable_key: string;
}

/** A deliverable is known. */
export const deliverableExists: ConditionKind<'deliverable_exists', Terms> = {
  type: 'deliverable_exists',
  otherNames: ['deliverable_known', 'deliverable_present', 'deliverable_set', 'exists'],
  read: (fields) => ({ deliverable_key: fields.key() }),
  inWords: ({ deliverable_key: key }) => `${key} is known`,
  holds: ({ deliverable_key: key }, conversation) => {
    const value = conversation.valueOf(key);
    return value !== undefined && value !== null && value !== '';
  },
  admits: () => true,
  admitsAnyValue: true,
};
