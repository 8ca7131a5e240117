import type { ConditionSpelling } from './kind.ts';

/** The older spelling of `all_of` and `any_of`, with an `operator`. */
export const compound: ConditionSpelling = {
  type: 'compound',
  read: (fields) => {
    if (fields.isTooDeep()) return undefined;
    const type = fields.word('operator', { and: 'all_of', or: 'any_of' });
    const written = fields.list('conditions', 'condition');
    if (type === undefined || written === undefined) return undefined;
    const conditions = fields.inner(written);
    return conditions && { type, conditions };
  },
};
