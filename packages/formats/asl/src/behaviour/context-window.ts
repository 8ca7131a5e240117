import type { PortInput } from '@dramaturg/compiler';
import { progressOf, visitOf, withVisit, type WorkVisit } from '../context.ts';
import type { Task } from '../kinds/task/definition.ts';
import type { ContextProgram, ContextVisit } from '../flow/context-window.ts';
import { type Answer, usageOfCall } from '../flow/usage.ts';
import type { Found } from '../kinds/memory/program.ts';
import {
  callKey,
  type StateAction,
  StateAtWork,
  type StateParams,
  visitGuard,
  type WorkflowScope,
} from './state-at-work.ts';
import type { BehaviourPart } from './part.ts';
import { budgetFields, countUsage } from './spending.ts';
import { continueState } from './state-steps.ts';

/** Prepares the ranking, if there is anything to rank. Spec: Agent 3 §Context */
const planRanking: StateAction = (scope, params) =>
  continueState<ContextProgram>(scope, params, (state, progress) => {
    const { work } = visitOf<WorkVisit>(progress);
    const ranking = state.program.context.ranking(state.run(progress), work!);
    return ranking ? state.effects(withVisit<ContextVisit>(progress, { ranking })) : {};
  });

const needsRanking = visitGuard<ContextVisit>(({ ranking }) => ranking !== undefined);

const rankCall = ({ context }: WorkflowScope, { machine }: StateParams): PortInput<'recall'> => {
  const { ranking } = visitOf<ContextVisit>(progressOf(context, machine));
  const { query, candidates, most } = ranking!;
  return {
    key: callKey(context, machine, 'rank'),
    transcript: { conversation: context.execution.id, length: 0 },
    queries: [query],
    limit: most,
    candidates: [...candidates],
  };
};

const takeRanking: StateAction<{ output: Found }> = (scope, params) =>
  continueState<ContextProgram>(scope, params, (state, progress) => {
    const { output } = scope.event;
    return countUsage(state, progress, [usageOfCall({ ...output, result: null })], (counted) => {
      const texts = output.memories.map(({ text }) => text);
      const { work: before } = visitOf<WorkVisit>(counted);
      const work = state.program.context.ranked(state.run(counted), before!, texts);
      return state.effects(
        withVisit<ContextVisit & WorkVisit>(counted, { ranking: undefined, work }),
      );
    });
  });

const planSummary: StateAction = (scope, params) =>
  continueState<ContextProgram>(scope, params, (state, progress) => {
    const { work } = visitOf<WorkVisit>(progress);
    const summary = state.program.context.summary(state.run(progress), work!);
    return summary ? state.effects(withVisit<ContextVisit>(progress, { summary })) : {};
  });

const needsSummary = visitGuard<ContextVisit>(({ summary }) => summary !== undefined);

const summaryCall = (scope: WorkflowScope, params: StateParams): PortInput<'runAgent'> => {
  const state = new StateAtWork(scope, params);
  const { program, progress } = state;
  return {
    key: callKey(scope.context, params.machine, 'summary'),
    agent: (program.state as Task).Context!.summary!.agent,
    input: visitOf<ContextVisit>(progress).summary!,
    ...budgetFields(state),
  };
};

const takeSummary: StateAction<{ output: Answer }> = (scope, params) =>
  continueState<ContextProgram>(scope, params, (state, progress) =>
    countUsage(state, progress, [usageOfCall(scope.event.output)], (counted) => {
      const { work: before } = visitOf<WorkVisit>(counted);
      const work = state.program.context.summarised(before!, scope.event.output.result);
      return state.effects(
        withVisit<ContextVisit & WorkVisit>(counted, { summary: undefined, work }),
      );
    }),
  );

const fitContext: StateAction = (scope, params) =>
  continueState<ContextProgram>(scope, params, (state, progress) => {
    const { work: before } = visitOf<WorkVisit>(progress);
    const work = state.program.context.fit(state.run(progress), before!);
    return state.effects(withVisit<WorkVisit>(progress, { work }));
  });

export const contextWindowBehaviour = {
  guards: { needsRanking, needsSummary },
  actions: { planRanking, takeRanking, planSummary, takeSummary, fitContext },
  inputs: { rankCall, summaryCall },
} satisfies BehaviourPart;
