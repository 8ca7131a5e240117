import { sourceValues, store } from '../../check/flow/language-flow.ts';
import { sourceAt } from '../../check/flow/source.ts';
import { union, type ValueSet } from '../../check/flow/value-set.ts';
import { onwards, type StateWays } from '../../check/flow/ways.ts';
import type { Approval, State } from '../../definition/index.ts';

/** Without a decision the input stays as it is. */
export const approvalWays: StateWays<Approval> = {
  enter({ state, sight, flow }) {
    const selected = flow.select();
    sourceValues(state.Prompt, selected, sight);
    const passed = flow.finish(union(sight.input, storedRecord(state, sight))!);
    const targets = [...state.Choices.map((rule) => rule.Next), state.Default];
    const ruled = targets
      .filter((target) => target !== undefined)
      .map((target) => ({ target, passed }));
    return { exits: [...ruled, ...onwards(state, passed)] };
  },
};

/** The record of a decision, and the edits: both may have any fields. */
function storedRecord(
  { ResultPath: path, Editable: editable }: Approval,
  { state, input }: { readonly state: State; readonly input: ValueSet },
): ValueSet {
  if (editable || path === undefined) return 'any';
  return store(path, input, 'any', [sourceAt(state, 'ResultPath')]);
}
