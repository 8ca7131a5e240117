import type { BehaviourPart } from './part.ts';
import type { Guard, PortInput } from '@dramaturg/compiler';
import { progressOf, type WorkflowContext } from '../context.ts';
import type { Task } from '../definition/index.ts';
import type { Found } from '../flow/memory.ts';
import { type Answer, usedBy } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import {
  type MachineParams,
  StateAtWork,
  type StateParams,
  visitOf,
  within,
  type WorkflowScope,
  type StateAction,
} from './state-at-work.ts';
import { meansFor, spending } from './spending.ts';

/** Whether something is to be ranked. Spec: Agent 3 §Context */
export const planRanking: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const visit = visitOf(progress);
    const ranking = state.program.context!.ranking(state.run(progress), visit.work!);
    return ranking ? state.effects({ ...progress, visit: { ...visit, ranking } }) : {};
  });

export const needsRanking: Guard<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => visitOf(progressOf(context, machine)).ranking !== undefined;

export const rankCall = (
  { context }: WorkflowScope,
  { machine }: StateParams,
): PortInput<'recall'> => {
  const { query, candidates, most } = visitOf(progressOf(context, machine)).ranking!;
  return {
    key: callKey(context, machine, 'rank'),
    transcript: { conversation: context.execution.id, length: 0 },
    queries: [query],
    limit: most,
    candidates: [...candidates],
  };
};

export const takeRanking: StateAction<{ output: Found }> = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { output } = scope.event;
    return spending(state, progress, [usedBy({ ...output, result: null })], (spent) => {
      const { ranking: _, ...visit } = visitOf(spent);
      const texts = output.memories.map(({ text }) => text);
      const work = state.program.context!.ranked(state.run(spent), visit.work!, texts);
      return state.effects({ ...spent, visit: { ...visit, work } });
    });
  });

export const planSummary: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const visit = visitOf(progress);
    const summary = state.program.context!.summary(state.run(progress), visit.work!);
    return summary ? state.effects({ ...progress, visit: { ...visit, summary } }) : {};
  });

export const needsSummary: Guard<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => visitOf(progressOf(context, machine)).summary !== undefined;

export const summaryCall = (scope: WorkflowScope, params: StateParams): PortInput<'runAgent'> => {
  const state = new StateAtWork(scope, params);
  const { program, progress } = state;
  return {
    key: callKey(scope.context, params.machine, 'summary'),
    agent: (program.state as Task).Context!.summary!.agent,
    input: visitOf(progress).summary!,
    ...meansFor(state),
  };
};

export const takeSummary: StateAction<{ output: Answer }> = (scope, params) =>
  within(scope, params, (state, progress) =>
    spending(state, progress, [usedBy(scope.event.output)], (spent) => {
      const { summary: _, ...visit } = visitOf(spent);
      const work = state.program.context!.summarised(visit.work!, scope.event.output.result);
      return state.effects({ ...spent, visit: { ...visit, work } });
    }),
  );

export const fitContext: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const visit = visitOf(progress);
    const work = state.program.context!.fit(state.run(progress), visit.work!);
    return state.effects({ ...progress, visit: { ...visit, work } });
  });

export const contextWindowBehaviour = {
  guards: { needsRanking, needsSummary },
  actions: { planRanking, takeRanking, planSummary, takeSummary, fitContext },
  inputs: { rankCall, summaryCall },
} satisfies BehaviourPart;
