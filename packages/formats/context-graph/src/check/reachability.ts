import { rootsOf } from '@dramaturg/compiler/chart';
import { quotedList } from '@dramaturg/compiler/text';
import { type GraphRule, targetsOf } from '../definition.ts';
import { error, warning } from '../problems.ts';
import {
  exitFields,
  hiddenCycles,
  initialStates,
  nextStates,
  reachableStates,
  statesByName,
  wiring,
} from '../state-graph.ts';

const internalCycle = warning('internal-cycle', (name: string) => ({
  message: `The decision "${name}" can lead back to itself without asking the person.`,
  hint: 'Describe the exit that leads out clearly. The cycle repeats until it is chosen or the limit of the turn is reached.',
}));

const unconditionalCycle = error('unconditional-cycle', (names: readonly string[]) => ({
  message:
    names.length === 1
      ? `The state "${names[0]}" always leads back to itself.`
      : `The states ${quotedList(names)} lead to each other endlessly: none of them speaks to the person or decides.`,
  hint: 'Lead out of the cycle, or put a decision or an action state into it.',
}));

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

const unreachable = warning('unreachable', (name: string) => ({
  message: `No path leads to the state "${name}".`,
  hint: 'Add an exit that leads to it, or remove it. It is not part of the machine.',
}));

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

const deadEnd = warning('dead-end', (name: string) => ({
  message: `The state "${name}" has no exit conditions and is not the terminal state: the conversation never leaves it.`,
  hint: 'Add an exit condition.',
}));

/** Reports action states without exits that are not the terminal state. */
export const deadEnds: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    const isOpen = state.type !== 'action' || state.exit_conditions.length > 0;
    if (isOpen || state.name === definition.terminal_state) continue;
    const follows = [['terminal_state'], [...state.at, 'exit_conditions']];
    report(deadEnd(state.name), state.at, { follows });
  }
};
