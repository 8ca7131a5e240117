import { type Composite, joined, readComposite } from './composite.ts';
import type { ConditionKind } from './kind.ts';

/** Every condition within it holds. */
export const allOf: ConditionKind<'all_of', Composite> = {
  type: 'all_of',
  otherNames: ['and'],
  read: readComposite,
  inWords: (terms, inWords) => joined(terms, ' and ', inWords),
  holds: ({ conditions }, _, holds) => conditions.every(holds),
};
