import type { BehaviourPart } from './part.ts';
import { entering, type StateAction } from './state-at-work.ts';

/** Spec: Agent 2 §Choice State, Amazon #choice-state */
export const choose: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) => {
    const { flow, choose: firstRule } = state.program;
    const run = state.run(progress);
    const rule = firstRule!(run, flow.select(run));
    return state.left(progress, flow.chosen(run, rule), rule);
  });

export const choiceBehaviour = { actions: { choose } } satisfies BehaviourPart;
