import { deadEnd } from '../diagnostics/reachability.ts';
import type { GraphRule } from './rule.ts';

/** Reports action states without exits that are not the terminal state. */
export const deadEnds: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    const isOpen = state.type !== 'action' || state.exit_conditions.length > 0;
    if (isOpen || state.name === definition.terminal_state) continue;
    const follows = [['terminal_state'], [...state.at, 'exit_conditions']];
    report(deadEnd(state.name), state.at, { follows });
  }
};
