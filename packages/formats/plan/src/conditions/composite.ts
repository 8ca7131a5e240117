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

function combining<Type extends string>(
  type: Type,
  word: 'and' | 'or',
  combine: 'every' | 'some',
): ConditionKind<Type, Composite> {
  return {
    type,
    otherNames: [word],
    read: readComposite,
    inWords: ({ conditions }, inWords) =>
      conditions
        .map((inner) => ('conditions' in inner ? `(${inWords(inner)})` : inWords(inner)))
        .join(` ${word} `),
    holds: ({ conditions }, _, holds) => conditions[combine](holds),
  };
}

/** Every condition within it holds. */
export const allOf = combining('all_of', 'and', 'every');

/** At least one condition within it holds. */
export const anyOf = combining('any_of', 'or', 'some');

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
