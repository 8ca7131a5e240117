import { subworkflowBehaviour } from './subworkflow.ts';
import { composed } from './part.ts';
import { isRecord, type Json } from '@dramaturg/compiler';
import type { Action } from '@dramaturg/compiler';
import { progressOf, type WorkflowContext } from '../context.ts';
import type { Include } from '../definition/index.ts';
import type { Variables } from '../flow/run.ts';
import {
  failBranch,
  type ParallelParams,
  startOf,
  withoutBranches,
  withUsageOf,
} from './parallel.ts';
import { within } from './state-at-work.ts';
import { preparing } from './recovery.ts';

/** A template begins with the data of the state that includes it. Spec: Agent 10 §Include */
export const prepareInclude: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) =>
  preparing(scope, params, (state, progress, visit) => {
    const { flow } = state.program;
    const run = state.run(progress);
    const work = flow.select(run);
    const { Parameters: given } = state.program.state as Include;
    const dynamic = isRecord(given) ? Object.keys(given).filter((key) => key.endsWith('.$')) : [];
    const known = dynamic.length === 0 ? {} : named(flow.prepare(run, work), dynamic);
    const variables = { ...progress.variables, ...known };
    const effects = state.effects({ ...progress, visit: { ...visit, work } });
    const start = startOf(scope, params, { ...progress, variables }, work);
    return { ...effects, context: { ...effects.context, ...start } };
  });

/** Parameters that are known only now, as variables of the template. */
function named(values: Json, keys: readonly string[]): Variables {
  const fields = isRecord(values) ? values : {};
  const names = keys.map((key) => key.slice(0, -2));
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}

export const finishInclude: Action<WorkflowContext, unknown, ParallelParams> = (scope, params) => {
  const branches = params.branches.map((branch) => progressOf(scope.context, branch));
  const effects = within(scope, params, (state, before) => {
    const progress = withUsageOf(before, branches);
    return state.attempt(progress, () =>
      state.left(progress, state.program.flow.finish(state.run(progress), branches[0]!.input)),
    );
  });
  return { ...effects, context: { ...effects.context, ...withoutBranches(params.branches) } };
};

export const includeBehaviour = composed(subworkflowBehaviour, {
  actions: { prepareInclude, finishInclude, failBranch },
});
