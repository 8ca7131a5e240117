import { authoredPart } from '../authored.ts';
import type { Fail } from '../definition/index.ts';
import { atMostOne, type StateRule } from './rule.ts';

/** A Fail names its error once, and its cause once. Spec: states-language.net/spec.html#fail-state */
const namesErrorOnce: StateRule<Fail> = (state, { report }) => {
  for (const field of ['Error', 'Cause']) {
    atMostOne(authoredPart(state), [field, `${field}Path`, `${field}.$`], report);
  }
};

export const failRules: readonly StateRule<Fail>[] = [namesErrorOnce];
