import { unknownInitialState } from '../diagnostics/states.ts';
import { unknownFrom } from '../plan-graph.ts';
import type { PlanRule } from './rule.ts';

/** Reports an `initial_state_id` that names no state of the plan. */
export const unknownInitialStates: PlanRule = ({ definition, report }) => {
  const known = definition.states.map(({ id }) => id);
  const { initialAt, initial_state_id: id } = definition;
  if (initialAt && !known.includes(id))
    report(unknownInitialState(id, known), initialAt, unknownFrom(definition, id));
};
