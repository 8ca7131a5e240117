import { type Composite, joined, readComposite } from './composite.ts';
import type { ConditionKind } from './kind.ts';

/** At least one condition within it holds. */
export const anyOf: ConditionKind<'any_of', Composite> = {
  type: 'any_of',
  otherNames: ['or'],
  read: readComposite,
  inWords: (terms, inWords) => joined(terms, ' or ', inWords),
  holds: ({ conditions }, _, holds) => conditions.some(holds),
};
