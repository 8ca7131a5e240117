import { noActions } from '../diagnostics/states.ts';
import type { GraphRule } from './rule.ts';

/** An action state has something to say. */
export const missingActions: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    const isWritten = state.type === 'action' && state.actions.length === 0;
    if (isWritten) report(noActions(state.name), state.at, { follows: [[...state.at, 'actions']] });
  }
};
