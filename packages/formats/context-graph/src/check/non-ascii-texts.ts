import type { Path } from '@dramaturg/compiler';
import type { State } from '../definition.ts';
import { nonAscii as nonAsciiText } from '../diagnostics/advice.ts';
import type { GraphRule } from './rule.ts';

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
