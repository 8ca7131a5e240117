import { toolPersistence } from '../diagnostics/states.ts';
import type { GraphRule } from './rule.ts';

/** Reports tool-call states whose result later states may not see. */
export const lostToolResults: GraphRule = ({ definition, options, report }) => {
  for (const state of definition.states) {
    if (state.type !== 'tool-call' || !state.designated_tool) continue;
    const { result_persistence: persistence, at } = state.designated_tool;
    if (persistence === 'persisted') continue;
    const problem = toolPersistence(state.name, persistence);
    report(options.profile === 'strict' ? { ...problem, severity: 'error' } : problem, at, {
      follows: [[...at, 'result_persistence']],
    });
  }
};
