import type { Guard } from '@dramaturg/compiler';
import { progressOf, type WorkflowContext } from '../context.ts';
import { entering, type StateAction } from './progress.ts';

/** States that only handle data. */

/** Spec: Agent 2 §Pass State, Amazon #pass-state */
export const pass: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) => {
    const { flow, state: definition } = state.program;
    const run = state.run(progress);
    if (definition.QueryLanguage === 'JSONata') return state.left(progress, flow.pass(run));
    const written = 'Result' in definition ? definition.Result : undefined;
    if (written !== undefined) run.inspect?.('result', written);
    const result = written === undefined ? flow.prepare(run, flow.select(run)) : written;
    return state.left(progress, flow.finish(run, result));
  });

/** Spec: Agent 2 §Choice State, Amazon #choice-state */
export const choose: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) => {
    const { flow, choose: firstRule } = state.program;
    const run = state.run(progress);
    const rule = firstRule!(run, flow.select(run));
    return state.left(progress, flow.chosen(run, rule), rule);
  });

/** Spec: Agent 2 §Succeed State, Amazon #succeed-state */
export const succeed: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) =>
    state.left(progress, state.program.flow.pass(state.run(progress))),
  );

/** Spec: Agent 2 §Fail State, Amazon #fail-state */
export const fail: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) => {
    const { flow, fail: failure } = state.program;
    const run = state.run(progress);
    return state.effects({ ...progress, failure: failure!(run, flow.select(run)) });
  });

export interface MachineParams {
  readonly machine: string;
}

/** Something went wrong that nothing has dealt with yet. */
export const hasFailed: Guard<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => progressOf(context, machine).failure !== undefined;

/** The rule of a Choice holds, or the catcher has caught. */
export const goes: Guard<WorkflowContext, unknown, MachineParams & { way: number }> = (
  { context },
  { machine, way },
) => progressOf(context, machine).way === way;
