import { recallBoth, recallNeither } from '../diagnostics/states.ts';
import type { GraphRule } from './rule.ts';

/** Reports recalls with both queries and requested information, or with neither. */
export const unclearRecalls: GraphRule = ({ definition, options, report }) => {
  for (const state of definition.states) {
    if (state.type !== 'recall') continue;
    const { name, at, queries, requested_information: information } = state;
    if (queries.length > 0 && information !== '') {
      const problem = recallBoth(name);
      report(options.profile === 'strict' ? { ...problem, severity: 'error' } : problem, at);
    }
    const follows = ['queries', 'requested_information'].map((field) => [...at, field]);
    if (queries.length === 0 && information === '') report(recallNeither(name), at, { follows });
  }
};
