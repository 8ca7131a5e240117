import type { BehaviourPart } from './part.ts';
import type { StateAction } from './state-at-work.ts';
import { enterState, leaveState } from './state-steps.ts';

/** Spec: Agent 2 §Succeed State, Amazon #succeed-state */
const succeed: StateAction = (scope, params) =>
  enterState(scope, params, (state, progress) =>
    leaveState(state, progress, state.program.flow.pass(state.run(progress))),
  );

export const succeedBehaviour = { actions: { succeed } } satisfies BehaviourPart;
