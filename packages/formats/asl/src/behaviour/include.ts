import { isRecord, type Json } from '@dramaturg/compiler';
import type { Action } from '@dramaturg/compiler/format';
import { progressOf, withVisit, type WorkflowContext, type WorkVisit } from '../context.ts';
import type { Include } from '../definition/index.ts';
import type { Variables } from '../flow/run.ts';
import {
  beginBranches,
  failBranch,
  type ParallelParams,
  withoutBranches,
  withUsageOf,
} from './parallel.ts';
import { composed } from './part.ts';
import { continueState, leaveState, prepareState } from './state-steps.ts';
import { subworkflowBehaviour } from './subworkflow.ts';

/** The template begins with the input of the state. Spec: Agent 10 §Include */
const prepareInclude: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) =>
  prepareState(scope, params, (state, progress) => {
    const { flow } = state.program;
    const run = state.run(progress);
    const work = flow.select(run);
    const { Parameters: parameters } = state.program.state as Include;
    const dynamic = isRecord(parameters)
      ? Object.keys(parameters).filter((key) => key.endsWith('.$'))
      : [];
    const values = dynamic.length === 0 ? {} : variablesFrom(flow.prepare(run, work), dynamic);
    const variables = { ...progress.variables, ...values };
    const effects = state.effects(withVisit<WorkVisit>(progress, { work }));
    const template = beginBranches(scope, params, { ...progress, variables }, work);
    return { ...effects, context: { ...effects.context, ...template } };
  });

/** Parameters with paths have values only at run time, so they become variables of the template. */
function variablesFrom(values: Json, keys: readonly string[]): Variables {
  const fields = isRecord(values) ? values : {};
  const names = keys.map((key) => key.slice(0, -2));
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}

const finishInclude: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) => {
  const branches = params.branches.map((branch) => progressOf(scope.context, branch));
  const effects = continueState(scope, params, (state, before) => {
    const progress = withUsageOf(before, branches);
    return state.attempt(progress, () => {
      const outcome = state.program.flow.finish(state.run(progress), branches[0]!.input);
      return leaveState(state, progress, outcome);
    });
  });
  return { ...effects, context: { ...effects.context, ...withoutBranches(params.branches) } };
};

export const includeBehaviour = composed(subworkflowBehaviour, {
  actions: { prepareInclude, finishInclude, failBranch },
});
