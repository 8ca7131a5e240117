import { rootsOf } from '@dramaturg/compiler/chart';
import { unreachable } from '../diagnostics/reachability.ts';
import { initialStates, nextStates, reachableStates, statesByName } from '../state-graph.ts';
import { wiring } from '../wiring.ts';
import type { GraphRule } from './rule.ts';

/**
 * Reports states that no initial state leads to. The rules for charts cannot report them: unreachable states have no
 * node.
 */
export const unreachableStates: GraphRule = ({ definition, report }) => {
  const reached = reachableStates(definition, initialStates(definition));
  const byName = statesByName(definition);
  const unreached = [...byName.keys()].filter((name) => name !== '' && !reached.has(name));
  // States after an unreachable state are not reported: they become reachable with it.
  for (const name of rootsOf(unreached, (one) => nextStates(byName.get(one)!)))
    report(unreachable(name), byName.get(name)!.at, { follows: wiring });
};
