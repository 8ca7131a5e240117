import { end } from '@dramaturg/conversation';
import { noSafetyExit } from '../diagnostics/advice.ts';
import { statesByName } from '../state-graph.ts';
import type { GraphRule } from './rule.ts';

/** Reports action states without an exit to the terminal state: a person may want to stop at any point. Spec: docs/formats/context-graph.md#exits */
export const missingSafetyExits: GraphRule = ({ definition, report }) => {
  const { terminal_state: terminal } = definition;
  if (!statesByName(definition).has(terminal)) return;
  for (const state of definition.states) {
    if (state.type !== 'action' || state.name === terminal) continue;
    const exits = state.exit_conditions;
    const isSafe = exits.some(
      ({ next_state: target }) =>
        (target?.kind === 'state' && target.state === terminal) ||
        (target?.kind === 'other' && target.target === end),
    );
    if (exits.length > 0 && !isSafe) report(noSafetyExit(state.name), state.at);
  }
};
