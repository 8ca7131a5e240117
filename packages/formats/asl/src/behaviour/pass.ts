import { withVisit, type WorkVisit } from '../context.ts';
import type { Pass } from '../definition/index.ts';
import { memoryBehaviour } from './memory.ts';
import { composed } from './part.ts';
import type { StateAction } from './state-at-work.ts';
import { enterState, leaveState } from './state-steps.ts';
import { finishTask } from './task.ts';

/** Spec: Agent 2 §Pass State, Amazon #pass-state */
const pass: StateAction = (scope, params) =>
  enterState(scope, params, (state, progress) => {
    const { flow, state: definition } = state.program;
    const run = state.run(progress);
    if (definition.QueryLanguage === 'JSONata') return leaveState(state, progress, flow.pass(run));
    const { Result: written } = definition as Pass;
    if (written !== undefined) run.inspect?.('result', written);
    const result = written === undefined ? flow.prepare(run, flow.select(run)) : written;
    return leaveState(state, progress, flow.finish(run, result));
  });

/** A Pass that writes to memory needs its result before it can do so. Tutorial 6 */
const preparePass: StateAction = (scope, params) =>
  enterState(scope, params, (state, progress) => {
    const { flow, state: definition } = state.program;
    const run = state.run(progress);
    const { Result: written } = definition as Pass;
    const result = written === undefined ? flow.prepare(run, flow.select(run)) : written;
    return state.effects(withVisit<WorkVisit>(progress, { answer: { result } }));
  });

export const passBehaviour = composed(memoryBehaviour, {
  actions: { pass, preparePass, finishTask },
});
