import { visitOf, withVisit, type WorkVisit } from '../context.ts';
import { compileTemplate } from '../data/template.ts';
import { parseDuration } from '../data/timestamp.ts';
import type { Include, Subworkflow } from '../definition/index.ts';
import { evaluation } from '../flow/jsonpath-flow.ts';
import { budgetBehaviour } from './budget.ts';
import { callKey } from './call-key.ts';
import { composed } from './part.ts';
import { remainingBudget } from './spending.ts';
import { type StateAction, StateAtWork, type StateInputMaker } from './state-at-work.ts';
import { prepareState } from './state-steps.ts';
import { finishTask, timeOut, timeoutTimer } from './task.ts';

/** Prepares a Workflow state, or an Include with a template that the host runs as an agent. Spec: Agent 10 */
const prepareSubworkflow: StateAction = (scope, params) =>
  prepareState(scope, params, (state, progress) => {
    const { flow, state: definition, dialect } = state.program;
    const run = state.run(progress);
    const selected = flow.select(run);
    const { Input: input, Timeout: authored } = definition as Partial<Subworkflow>;
    const work =
      input === undefined
        ? flow.prepare(run, selected)
        : compileTemplate(input, dialect, 'Input')(evaluation(run, selected));
    const timeoutMs = authored === undefined ? undefined : parseDuration(authored);
    const timeout = timeoutMs === undefined ? {} : { timeoutAt: state.world.now() + timeoutMs };
    return state.effects(withVisit<WorkVisit>(progress, { work, ...timeout }));
  });

const subworkflowCall: StateInputMaker = (scope, params) => {
  const work = new StateAtWork(scope, params);
  const state = work.program.state as Include | Subworkflow;
  const remaining = remainingBudget(work);
  return {
    key: callKey(scope.context, params.machine, 'work'),
    agent: state.Type === 'Include' ? `template:${state.Template}` : `workflow:${state.WorkflowId}`,
    input: visitOf<WorkVisit>(work.progress).work!,
    ...(remaining && { left: remaining }),
  };
};

export const subworkflowBehaviour = composed(budgetBehaviour, {
  actions: { prepareSubworkflow, finishTask, timeOut },
  inputs: { subworkflowCall, timeoutTimer },
});
