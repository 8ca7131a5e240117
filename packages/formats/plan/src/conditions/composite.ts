import type { ConditionFields, ConditionKind, ConditionSpelling, InnerCondition } from './kind.ts';

/** The terms of a condition that combines others. */
export interface Composite {
  readonly conditions: readonly InnerCondition[];
}

/** Reads the nested conditions; undefined when any of them is malformed. */
function readComposite(fields: ConditionFields) {
  if (fields.isTooDeep()) return undefined;
  const written = fields.list('conditions', 'condition');
  return { conditions: written && fields.inner(written) };
}

/** The nested conditions in words, joined by a word. */
function joined(
  { conditions }: Composite,
  word: string,
  inWords: (inner: InnerCondition) => string,
): string {
  return conditions
    .map((inner) => ('conditions' in inner ? `(${inWords(inner)})` : inWords(inner)))
    .join(word);
}

/** Every condition within it holds. */
export const allOf: ConditionKind<'all_of', Composite> = {
  type: 'all_of',
  otherNames: ['and'],
  read: readComposite,
  inWords: (terms, inWords) => joined(terms, ' and ', inWords),
  holds: ({ conditions }, _, holds) => conditions.every(holds),
};

/** At least one condition within it holds. */
export const anyOf: ConditionKind<'any_of', Composite> = {
  type: 'any_of',
  otherNames: ['or'],
  read: readComposite,
  inWords: (terms, inWords) => joined(terms, ' or ', inWords),
  holds: ({ conditions }, _, holds) => conditions.some(holds),
};

/** The older spelling of `all_of` and `any_of`, with an `operator`. */
export const compound: ConditionSpelling = {
  type: 'compound',
  read: (fields) => {
    if (fields.isTooDeep()) return undefined;
    const type = fields.word('operator', { and: 'all_of', or: 'any_of' });
    const written = fields.list('conditions', 'condition');
    // Without an operator the conditions are not read.
    return { type, conditions: type && written && fields.inner(written) };
  },
};
