import { finishTask, timeOut, timeoutTimer } from './task.ts';
import { budgetBehaviour } from './budget.ts';
import { composed } from './part.ts';
import { compileTemplate } from '../data/template.ts';
import type { Include, Subworkflow } from '../definition/index.ts';
import { parseDuration } from '../data/timestamp.ts';
import { evaluation } from '../flow/jsonpath-flow.ts';
import { callKey } from './call-key.ts';
import { StateAtWork, visitOf, type StateAction, type StateInputMaker } from './state-at-work.ts';
import { preparing } from './recovery.ts';
import { leftFor } from './spending.ts';

/** A template that is included, or a workflow that is run, is an agent too. Spec: Agent 10 */
export const prepareSubworkflow: StateAction = (scope, params) =>
  preparing(scope, params, (state, progress, visit) => {
    const { flow, state: definition, dialect } = state.program;
    const run = state.run(progress);
    const selected = flow.select(run);
    const { Input: input, Timeout: timeout } = definition as Partial<Subworkflow>;
    const work =
      input === undefined
        ? flow.prepare(run, selected)
        : compileTemplate(input, dialect, 'Input')(evaluation(run, selected));
    const wait = timeout === undefined ? undefined : parseDuration(timeout);
    return state.effects({
      ...progress,
      visit: { ...visit, work, ...(wait !== undefined && { timeoutAt: state.world.now() + wait }) },
    });
  });

export const subworkflowCall: StateInputMaker = (scope, params) => {
  const work = new StateAtWork(scope, params);
  const state = work.program.state as Include | Subworkflow;
  const left = leftFor(work);
  return {
    key: callKey(scope.context, params.machine, 'work'),
    agent: state.Type === 'Include' ? `template:${state.Template}` : `workflow:${state.WorkflowId}`,
    input: visitOf(work.progress).work!,
    ...(left && { left }),
  };
};

export const subworkflowBehaviour = composed(budgetBehaviour, {
  actions: { prepareSubworkflow, finishTask, timeOut },
  inputs: { subworkflowCall, timeoutTimer },
});
