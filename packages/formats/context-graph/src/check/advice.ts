import type { Path } from '@dramaturg/compiler';
import { end } from '@dramaturg/conversation';
import type { State } from '../definition.ts';
import {
  density as densityOf,
  nonAscii as nonAsciiText,
  noSafetyExit,
} from '../diagnostics/advice.ts';
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

/** Reports states with more actions or guidelines than a model usually handles in one call. */
export const denseStates: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    if (state.type !== 'action') continue;
    const { name, at, actions, intra_state_navigation_guidelines: guidelines } = state;
    if (actions.length > 6)
      report(densityOf(name, actions.length, 'actions', 'up to 6'), [...at, 'actions'], {
        at: 'key',
      });
    if (guidelines.length > 8)
      report(
        densityOf(name, guidelines.length, 'navigation guidelines', 'up to 8'),
        [...at, 'intra_state_navigation_guidelines'],
        { at: 'key' },
      );
  }
};

/** Reports texts with characters beyond ASCII, which the platform expects. One finding per text. */
export const nonAsciiTexts: GraphRule = ({ definition, report }) => {
  const judge = (text: string, at: Path) => {
    const found = /[^\p{ASCII}]/u.exec(text);
    if (found) report(nonAsciiText(found[0]), at);
  };
  judge(definition.description, ['description']);
  for (const state of definition.states) {
    for (const [field, value] of Object.entries(textsOf(state))) {
      const at = [...state.at, field];
      if (typeof value === 'string') judge(value, at);
      else for (const [index, text] of value.entries()) judge(text, [...at, index]);
    }
    const exits = 'exit_conditions' in state ? state.exit_conditions : [];
    for (const { description, at } of exits) judge(description, [...at, 'description']);
  }
};

/** The texts and lists of texts of a state, by field. */
function textsOf(state: State): Record<string, string | readonly string[]> {
  return Object.fromEntries(
    Object.entries(state).filter(
      ([field, value]) =>
        !['type', 'name', 'at', 'nameAt'].includes(field) &&
        (typeof value === 'string' ||
          (Array.isArray(value) && value.every((item) => typeof item === 'string'))),
    ),
  );
}
