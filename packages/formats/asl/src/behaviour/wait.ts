import { waitTimer } from './state.ts';
import type { BehaviourPart } from './part.ts';
import { entering, within, type StateAction } from './state-at-work.ts';

/** Spec: Agent 2 §Wait State, Amazon #wait-state */
export const prepareWait: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) => {
    const { flow, wait } = state.program;
    const run = state.run(progress);
    return state.effects({
      ...progress,
      visit: { attempts: [], until: wait!(run, flow.select(run)) },
    });
  });

export const finishWait: StateAction = (scope, params) =>
  within(scope, params, (state, progress) =>
    state.left(progress, state.program.flow.pass(state.run(progress))),
  );

export const waitBehaviour = {
  actions: { prepareWait, finishWait },
  inputs: { waitTimer },
} satisfies BehaviourPart;
