import { type Visit, withVisit } from '../context.ts';
import type { WaitProgram } from '../flow/wait.ts';
import type { BehaviourPart } from './part.ts';
import type { StateAction } from './state-at-work.ts';
import { continueState, enterState, leaveState } from './state-steps.ts';
import { waitTimer } from './state.ts';

/** Spec: Agent 2 §Wait State, Amazon #wait-state */
const prepareWait: StateAction = (scope, params) =>
  enterState<WaitProgram>(scope, params, (state, progress) => {
    const { flow, waitUntil } = state.program;
    const run = state.run(progress);
    const until = waitUntil(run, flow.select(run));
    return state.effects(withVisit<Visit>(progress, { until }));
  });

const finishWait: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) =>
    leaveState(state, progress, state.program.flow.pass(state.run(progress))),
  );

export const waitBehaviour = {
  actions: { prepareWait, finishWait },
  inputs: { waitTimer },
} satisfies BehaviourPart;
