import type { FailProgram } from '../flow/fail.ts';
import type { BehaviourPart } from './part.ts';
import type { StateAction } from './state-at-work.ts';
import { enterState } from './state-steps.ts';

/** Spec: Agent 2 §Fail State, Amazon #fail-state */
const fail: StateAction = (scope, params) =>
  enterState<FailProgram>(scope, params, (state, progress) => {
    const { flow, failure } = state.program;
    const run = state.run(progress);
    return state.effects({ ...progress, failure: failure(run, flow.select(run)) });
  });

export const failBehaviour = { actions: { fail } } satisfies BehaviourPart;
