import { visitOf, withVisit, type WorkVisit } from '../context.ts';
import type { Task } from '../definition/index.ts';
import { type ReasoningVisit, splitReasoning } from '../flow/reasoning.ts';
import type { BehaviourPart } from './part.ts';
import type { StateAction } from './state-at-work.ts';
import { continueState } from './state-steps.ts';

/** Separates the reasoning of an agent from its answer. Spec: Agent 5 §Reasoning */
const takeReasoning: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { answer: received } = visitOf<WorkVisit>(progress);
    const wanted = (state.program.state as Task).Reasoning!;
    const { result, reasoning } = splitReasoning(received!.result, wanted);
    const answer = { ...received, result };
    if (reasoning === undefined) return state.effects(withVisit<WorkVisit>(progress, { answer }));
    const stored = wanted.store === undefined ? {} : { reasoning };
    const next = withVisit<WorkVisit & ReasoningVisit>(progress, { answer, ...stored });
    return state.effects(next, [
      { type: 'reasoning.recorded', ...state.where(), format: wanted.format, reasoning },
    ]);
  });

export const reasoningBehaviour = { actions: { takeReasoning } } satisfies BehaviourPart;
