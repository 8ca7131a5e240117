import type { Path } from '@dramaturg/compiler';
import { end } from '@dramaturg/conversation';
import type { GraphRule, State } from '../definition.ts';
import { info } from '../problems.ts';
import { statesByName } from '../state-graph.ts';

const noSafetyExit = info('no-safety-exit', (name: string) => ({
  message: `No exit of "${name}" leads to the terminal state: a person who wants to stop here cannot.`,
  hint: 'Add an exit such as "The user explicitly asks to stop now".',
}));

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

const density = info('density', (name: string, count: number, what: string, usual: string) => ({
  message: `"${name}" has ${count} ${what}. Usual is ${usual}.`,
}));

/** Reports states with more actions or guidelines than a model usually handles in one call. */
export const denseStates: GraphRule = ({ definition, report }) => {
  for (const state of definition.states) {
    if (state.type !== 'action') continue;
    const { name, at, actions, intra_state_navigation_guidelines: guidelines } = state;
    if (actions.length > 6)
      report(density(name, actions.length, 'actions', 'up to 6'), [...at, 'actions'], {
        at: 'key',
      });
    if (guidelines.length > 8)
      report(
        density(name, guidelines.length, 'navigation guidelines', 'up to 8'),
        [...at, 'intra_state_navigation_guidelines'],
        { at: 'key' },
      );
  }
};

const nonAscii = info('non-ascii', (character: string) => ({
  message: `This text has the character "${character}", which is not ASCII.`,
  hint: 'Replace it if you use voices or tools that read only ASCII.',
}));

/** Reports texts with characters beyond ASCII, which the platform expects. One finding per text. */
export const nonAsciiTexts: GraphRule = ({ definition, report }) => {
  const judge = (text: string, at: Path) => {
    const found = /[^\p{ASCII}]/u.exec(text);
    if (found) report(nonAscii(found[0]), at);
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
