import type { ChoiceProgram } from '../flow/choice.ts';
import type { BehaviourPart } from './part.ts';
import type { StateAction } from './state-at-work.ts';
import { enterState, leaveState } from './state-steps.ts';

/** Spec: Agent 2 §Choice State, Amazon #choice-state */
const choose: StateAction = (scope, params) =>
  enterState<ChoiceProgram>(scope, params, (state, progress) => {
    const { flow, choose: firstRule } = state.program;
    const run = state.run(progress);
    const rule = firstRule(run, flow.select(run));
    return leaveState(state, progress, flow.chosen(run, rule), rule);
  });

export const choiceBehaviour = { actions: { choose } } satisfies BehaviourPart;
