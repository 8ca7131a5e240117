import type { Json } from '@dramaturg/compiler';
import type { ConditionKind } from './kind.ts';

export interface Terms {
  readonly deliverable_key: string;
  /** A list, as the visual builder writes it, means any of its values. */
  readonly expected_value: Json;
}

/** A deliverable has a value. */
export const deliverableValue: ConditionKind<'deliverable_value', Terms> = {
  type: 'deliverable_value',
  otherNames: ['deliverable_equals', 'deliverable_is', 'value_equals', 'equals'],
  read: (fields) => ({ deliverable_key: fields.key(), expected_value: fields.expected() }),
  inWords: ({ deliverable_key: key, expected_value: expected }) => `${key} = ${wordFor(expected)}`,
  holds: ({ deliverable_key: key, expected_value: expected }, conversation) =>
    conversation.hasValue(key, [expected]),
  values,
  withTypedValues: ({ deliverable_key, expected_value: expected }, typed) =>
    Array.isArray(expected)
      ? {
          type: 'deliverable_value_in',
          deliverable_key,
          values: (expected as Json[]).map(typed),
        }
      : { type: 'deliverable_value', deliverable_key, expected_value: typed(expected) },
  admits: (terms, value) => values(terms).includes(value),
};

function values({ expected_value: expected }: Terms): readonly Json[] {
  return Array.isArray(expected) ? (expected as Json[]) : [expected];
}

/** A value as people read it: strings without quotes. */
export function wordFor(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
