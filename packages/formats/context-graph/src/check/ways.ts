import { deadEnd, internalCycle, unconditionalCycle, unreachable } from '../diagnostics.ts';
import { targetsOf } from '../definition.ts';
import { hiddenCycles, initialStates, reachableStates } from '../ways.ts';
import type { GraphRule } from './rule.ts';

/** A circle of states that the person never hears of: endless without a decision, and suspicious with one. */
export const cycles: GraphRule = ({ definition, report }) => {
  for (const cycle of hiddenCycles(definition)) {
    const decides = cycle.some((state) => targetsOf(state).length > 1);
    for (const state of cycle) {
      if (!decides) report(unconditionalCycle(state.name), state.at);
      else if (state.type === 'decision') report(internalCycle(state.name), state.at);
    }
  }
};

/**
 * Every state can be reached from where conversations begin. Judged here and not by the chart, because unreachable states
 * have no node, and because an author mends targets and reachability together.
 */
export const reachability: GraphRule = ({ definition, report }) => {
  const reached = reachableStates(definition, initialStates(definition));
  const reported = new Set<string>();
  for (const { name, at } of definition.states) {
    if (name === '' || reached.has(name) || reported.has(name)) continue;
    reported.add(name);
    report(unreachable(name), at);
  }
};

/** An action state that is not the last one leads somewhere. */
export const deadEnds: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    const isOpen = state.type !== 'action' || state.exit_conditions.length > 0;
    if (!isOpen && state.name !== definition.terminal_state) report(deadEnd(state.name), state.at);
  }
};
