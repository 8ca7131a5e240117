import type { Json } from '@dramaturg/compiler';
import { wordFor } from './deliverable-value.ts';
import type { ConditionKind } from './kind.ts';

export interface Terms {
  readonly deliverable_key: string;
  readonly values: readonly Json[];
}

/** A deliverable has one of several values. */
export const deliverableValueIn: ConditionKind<'deliverable_value_in', Terms> = {
  type: 'deliverable_value_in',
  otherNames: ['deliverable_in'],
  read: (fields) => ({
    deliverable_key: fields.key(),
    values: fields.list('values', 'value') as readonly Json[] | undefined,
  }),
  inWords: ({ deliverable_key: key, values }) => `${key} = ${values.map(wordFor).join(' or ')}`,
  holds: ({ deliverable_key: key, values }, conversation) => conversation.hasValue(key, values),
  values: ({ values }) => values,
  withTypedValues: ({ deliverable_key, values }, typed) => ({
    type: 'deliverable_value_in',
    deliverable_key,
    values: values.map(typed),
  }),
  admits: ({ values }, value) => values.includes(value),
};
