import { noStates } from '../diagnostics/graph.ts';
import type { GraphRule } from './rule.ts';

/** Reports graphs without states. */
export const missingStates: GraphRule = ({ definition, report }) => {
  const isEmpty = definition.states.length === 0 && !definition.hasNameless;
  if (isEmpty) report(noStates(), ['states'], { about: [['states']] });
};
