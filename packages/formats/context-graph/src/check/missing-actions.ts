import { noActions } from '../diagnostics/states.ts';
import type { GraphRule } from './rule.ts';

/** Reports action states without actions. */
export const missingActions: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    const isWritten = state.type === 'action' && state.actions.length === 0;
    if (isWritten) report(noActions(state.name), state.at, { follows: [[...state.at, 'actions']] });
  }
};
