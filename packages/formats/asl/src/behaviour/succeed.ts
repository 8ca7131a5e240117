import type { BehaviourPart } from './part.ts';
import { entering, type StateAction } from './state-at-work.ts';

/** Spec: Agent 2 §Succeed State, Amazon #succeed-state */
export const succeed: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) =>
    state.left(progress, state.program.flow.pass(state.run(progress))),
  );

export const succeedBehaviour = { actions: { succeed } } satisfies BehaviourPart;
