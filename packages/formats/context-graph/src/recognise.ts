import { isRecord } from '@dramaturg/compiler';
import type { Recognition } from '@dramaturg/compiler/format';
import { isBareState, looksLikeState } from './definition.ts';

const roles = ['new_user_initial_state', 'returning_user_initial_state', 'terminal_state'];
const globals = [
  'global_intra_state_navigation_guidelines',
  'global_action_guidelines',
  'global_boundary_constraints',
];

/** Judges by shape whether a value is a context graph, or a state of one. */
export function recognise(value: unknown): Recognition {
  if (isBareState(value)) return { matches: true, signs: ['the "type" and the exits of a state'] };
  if (!isRecord(value)) return { matches: false, because: 'it is not an object' };
  const states: unknown = value['states'];
  if (typeof states !== 'object' || states === null)
    return { matches: false, because: 'it has no "states"' };
  const signs = [...roles, ...globals]
    .filter((field) => typeof value[field] === 'string' || Array.isArray(value[field]))
    .map((field) => `"${field}"`);
  if (Object.values(states).some(looksLikeState))
    signs.push('the "type" and the exits of its states');
  if (signs.length === 0)
    return {
      matches: false,
      because:
        'it has no "new_user_initial_state", and none of its states is of a type such as "action"',
    };
  return { matches: true, signs };
}
