import { decisionWithoutExit } from '../diagnostics/states.ts';
import type { GraphRule } from './rule.ts';

/** Reports decisions without exit conditions. */
export const decisionsWithoutExit: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    if (state.type === 'decision' && state.exit_conditions.length === 0)
      report(decisionWithoutExit(state.name), state.at, {
        about: [[...state.at, 'exit_conditions']],
      });
  }
};
