import { progressOf } from '../context.ts';
import { callKey } from './call-key.ts';
import { entering, visitOf, within, type StateAction, type StateInputMaker } from './progress.ts';

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

/** The timer of a Wait, and of a pause before a retry. */
export const untilThen: StateInputMaker = (scope, params) => {
  const progress = progressOf(scope.context, params.machine);
  return { key: callKey(scope.context, params.machine, 'until'), at: visitOf(progress).until! };
};
