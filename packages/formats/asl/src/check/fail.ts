import { authoredPart, statesOf } from '../walk.ts';
import { atMostOne, type WorkflowRule } from './rule.ts';

/** A Fail says once what its error is called and what caused it. Spec: states-language.net/spec.html#fail-state */
export const failuresAreSaidOnce: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.Type !== 'Fail') continue;
    for (const field of ['Error', 'Cause']) {
      atMostOne(authoredPart(state), [field, `${field}Path`, `${field}.$`], report);
    }
  }
};
