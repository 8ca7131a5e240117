import type { BehaviourPart } from './part.ts';
import { entering, type StateAction } from './state-at-work.ts';

/** Spec: Agent 2 §Fail State, Amazon #fail-state */
export const fail: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) => {
    const { flow, fail: failure } = state.program;
    const run = state.run(progress);
    return state.effects({ ...progress, failure: failure!(run, flow.select(run)) });
  });

export const failBehaviour = { actions: { fail } } satisfies BehaviourPart;
