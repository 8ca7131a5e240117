import { compileWrite } from '../data/path/write.ts';
import type { Task } from '../definition/index.ts';
import { reasonedOf } from '../flow/reasoning.ts';
import { visitOf, within, type StateAction } from './progress.ts';

/** Keeps what an agent thought apart from what it answered. Spec: Agent 5 §Reasoning */
export const takeReasoning: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const visit = visitOf(progress);
    const wanted = (state.program.state as Task).Reasoning!;
    const { result, reasoning } = reasonedOf(visit.answer!.result, wanted);
    const answer = { ...visit.answer, result };
    if (reasoning === undefined) return state.effects({ ...progress, visit: { ...visit, answer } });
    const input =
      wanted.store === undefined
        ? progress.input
        : compileWrite(wanted.store)(progress.input, reasoning);
    return state.effects({ ...progress, input, visit: { ...visit, answer } }, [
      { type: 'reasoning.recorded', ...state.where(), format: wanted.format, reasoning },
    ]);
  });
