import type { Pass } from '../definition/index.ts';
import { memoryBehaviour } from './memory.ts';
import { composed } from './part.ts';
import { entering, type StateAction } from './state-at-work.ts';
import { finishTask } from './task.ts';

/** Spec: Agent 2 §Pass State, Amazon #pass-state */
export const pass: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) => {
    const { flow, state: definition } = state.program;
    const run = state.run(progress);
    if (definition.QueryLanguage === 'JSONata') return state.left(progress, flow.pass(run));
    const { Result: written } = definition as Pass;
    if (written !== undefined) run.inspect?.('result', written);
    const result = written === undefined ? flow.prepare(run, flow.select(run)) : written;
    return state.left(progress, flow.finish(run, result));
  });

/** A Pass that writes has its result first. Tutorial 6 */
export const preparePass: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) => {
    const { flow, state: definition } = state.program;
    const run = state.run(progress);
    const { Result: written } = definition as Pass;
    const result = written === undefined ? flow.prepare(run, flow.select(run)) : written;
    return state.effects({ ...progress, visit: { attempts: [], answer: { result } } });
  });

export const passBehaviour = composed(memoryBehaviour, {
  actions: { pass, preparePass, finishTask },
});
