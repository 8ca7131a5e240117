import { isRecord } from '@dramaturg/compiler';
import type { Pattern } from '@dramaturg/compiler/format';
import { record } from './normalise/fields.ts';

/** Where a definition says which state leads to which, in the layout that it has. */
export function wiringOf(value: unknown): readonly Pattern[] {
  const root = record(value);
  const ways = (['transitions', 'rows'] as const).flatMap((field): readonly Pattern[] =>
    isRecord(root[field])
      ? [
          [field, '*', '*', 'to'],
          [field, '*', '*', '*', 'to'],
        ]
      : ['from', 'event', 'always', 'to'].map((part) => [field, '*', part]),
  );
  return [...ways, ...stateKinds, ['initial']];
}

/** Where a definition says which of its states are the first and the last. */
export const stateKinds: readonly Pattern[] = [
  ['states', '*', 'name'],
  ['states', '*', 'kind'],
  ['terminal'],
];
