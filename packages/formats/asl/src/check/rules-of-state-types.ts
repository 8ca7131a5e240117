import { isStateType, kindOf } from '../kinds.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Applies the rules of each state's type to it. */
export const rulesOfStateTypes: WorkflowRule = (subject) => {
  for (const state of statesOf(subject.definition)) {
    const { Type: type } = state.authored;
    if (isStateType(type)) for (const rule of kindOf(type).rules) rule(state, subject);
  }
};
