import { authoredPart } from '../authored.ts';
import type { Fail } from '../definition/index.ts';
import { atMostOne, type StateRule } from './rule.ts';

/** Reports errors and causes given in two fields. Spec: states-language.net/spec.html#fail-state */
const repeatedErrors: StateRule<Fail> = (state, { report }) => {
  for (const field of ['Error', 'Cause']) {
    atMostOne(authoredPart(state), [field, `${field}Path`, `${field}.$`], report);
  }
};

export const failRules: readonly StateRule<Fail>[] = [repeatedErrors];
