import type { BehaviourPart } from './part.ts';
import type { Task } from '../definition/index.ts';
import { reasonedOf } from '../flow/reasoning.ts';
import { visitOf, within, type StateAction } from './state-at-work.ts';

/** Keeps what an agent thought apart from what it answered. Spec: Agent 5 §Reasoning */
export const takeReasoning: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const visit = visitOf(progress);
    const wanted = (state.program.state as Task).Reasoning!;
    const { result, reasoning } = reasonedOf(visit.answer!.result, wanted);
    const answer = { ...visit.answer, result };
    if (reasoning === undefined) return state.effects({ ...progress, visit: { ...visit, answer } });
    const stored = wanted.store === undefined ? {} : { reasoning };
    return state.effects({ ...progress, visit: { ...visit, answer, ...stored } }, [
      { type: 'reasoning.recorded', ...state.where(), format: wanted.format, reasoning },
    ]);
  });

export const reasoningBehaviour = {
  actions: { takeReasoning },
} satisfies BehaviourPart;
