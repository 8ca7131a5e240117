import { density as densityOf } from '../diagnostics/advice.ts';
import type { GraphRule } from './rule.ts';

/** Reports states with more actions or guidelines than a model usually handles in one call. */
export const denseStates: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    if (state.type !== 'action') continue;
    const { name, at, actions, intra_state_navigation_guidelines: guidelines } = state;
    if (actions.length > 6)
      report(densityOf(name, actions.length, 'actions', 'up to 6'), [...at, 'actions'], {
        at: 'key',
      });
    if (guidelines.length > 8)
      report(
        densityOf(name, guidelines.length, 'navigation guidelines', 'up to 8'),
        [...at, 'intra_state_navigation_guidelines'],
        { at: 'key' },
      );
  }
};
