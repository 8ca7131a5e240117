import { rootsOf } from '@dramaturg/compiler';
import { deadEnd, internalCycle, unconditionalCycle, unreachable } from '../diagnostics.ts';
import { targetsOf } from '../definition.ts';
import { hiddenCycles, initialStates, nextStates, reachableStates, statesByName } from '../ways.ts';
import { exitFields, wiring } from '../wiring.ts';
import type { GraphRule } from './rule.ts';

/** A circle of states that the person never hears of: endless without a decision, and suspicious with one. */
export const cycles: GraphRule = ({ definition, report }) => {
  for (const cycle of hiddenCycles(definition)) {
    const decides = cycle.some((state) => targetsOf(state).length > 1);
    const told = decides ? cycle.filter(({ type }) => type === 'decision') : cycle;
    const [first, ...others] = told;
    if (!first) continue;
    const problem = decides
      ? internalCycle(first.name)
      : unconditionalCycle(cycle.map(({ name }) => name));
    report(problem, first.at, {
      follows: cycle.flatMap(({ at }) => ['type', ...exitFields].map((field) => [...at, field])),
      related: others.map(({ name, at }) => ({
        path: at,
        message: `"${name}" is part of the same circle.`,
      })),
    });
  }
};

/**
 * Every state can be reached from where conversations begin. Judged here and not by the chart, because unreachable states
 * have no node, and because an author mends targets and reachability together.
 */
export const reachability: GraphRule = ({ definition, report }) => {
  const reached = reachableStates(definition, initialStates(definition));
  const byName = statesByName(definition);
  const unreached = [...byName.keys()].filter((name) => name !== '' && !reached.has(name));
  // What only an unreachable state leads to is reached when that one is.
  for (const name of rootsOf(unreached, (one) => nextStates(byName.get(one)!)))
    report(unreachable(name), byName.get(name)!.at, { follows: wiring });
};

/** An action state that is not the last one leads somewhere. */
export const deadEnds: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    const isOpen = state.type !== 'action' || state.exit_conditions.length > 0;
    if (isOpen || state.name === definition.terminal_state) continue;
    const follows = [['terminal_state'], [...state.at, 'exit_conditions']];
    report(deadEnd(state.name), state.at, { follows });
  }
};
