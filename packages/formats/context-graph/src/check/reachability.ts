import { rootsOf } from '@dramaturg/compiler/chart';
import { targetsOf } from '../definition.ts';
import {
  deadEnd,
  internalCycle,
  unconditionalCycle,
  unreachable,
} from '../diagnostics/reachability.ts';
import {
  hiddenCycles,
  initialStates,
  nextStates,
  reachableStates,
  statesByName,
} from '../state-graph.ts';
import { exitFields, wiring } from '../wiring.ts';
import type { GraphRule } from './rule.ts';

/** Reports cycles of states that never speak: an error without a decision, a warning with one. */
export const silentCycles: GraphRule = ({ definition, report }) => {
  for (const cycle of hiddenCycles(definition)) {
    const decides = cycle.some((state) => targetsOf(state).length > 1);
    const reported = decides ? cycle.filter(({ type }) => type === 'decision') : cycle;
    const [first, ...others] = reported;
    if (!first) continue;
    const problem = decides
      ? internalCycle(first.name)
      : unconditionalCycle(cycle.map(({ name }) => name));
    report(problem, first.at, {
      follows: cycle.flatMap(({ at }) => ['type', ...exitFields].map((field) => [...at, field])),
      related: others.map(({ name, at }) => ({
        path: at,
        message: `"${name}" is part of the same cycle.`,
      })),
    });
  }
};

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

/** Reports action states without exits that are not the terminal state. */
export const deadEnds: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    const isOpen = state.type !== 'action' || state.exit_conditions.length > 0;
    if (isOpen || state.name === definition.terminal_state) continue;
    const follows = [['terminal_state'], [...state.at, 'exit_conditions']];
    report(deadEnd(state.name), state.at, { follows });
  }
};
