import { rootsOf } from '@dramaturg/compiler';
import { unreachable } from '../diagnostics/reachability.ts';
import { initialStates, nextStates, reachableStates, statesByName } from '../state-graph.ts';
import { wiring } from '../wiring.ts';
import type { GraphRule } from './rule.ts';

/**
 * Every state can be reached from where conversations begin. Judged here and not by the chart, because unreachable states
 * have no node, and because an author mends targets and reachability together.
 */
export const unreachableStates: GraphRule = ({ definition, report }) => {
  const reached = reachableStates(definition, initialStates(definition));
  const byName = statesByName(definition);
  const unreached = [...byName.keys()].filter((name) => name !== '' && !reached.has(name));
  // What only an unreachable state leads to is reached when that one is.
  for (const name of rootsOf(unreached, (one) => nextStates(byName.get(one)!)))
    report(unreachable(name), byName.get(name)!.at, { follows: wiring });
};
