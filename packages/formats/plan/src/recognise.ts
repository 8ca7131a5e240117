import { isRecord } from '@dramaturg/compiler';
import type { Recognition } from '@dramaturg/compiler/format';
import { isBareState } from './shape.ts';

/** Judges by shape whether a value is a plan, a list of a plan's states, or one such state. */
export function recognise(value: unknown): Recognition {
  if (isBareState(value)) return { matches: true, signs: ['its "tasks"'] };
  const states = Array.isArray(value) ? value : isRecord(value) ? value['states'] : undefined;
  if (!Array.isArray(states)) return { matches: false, because: 'it has no list of "states"' };
  const root = isRecord(value) ? value : {};
  const signs: string[] = [];
  if (states.some((state) => isRecord(state) && Array.isArray(state['tasks'])))
    signs.push('the "tasks" of its states');
  if (states.some(hasPlanTransition)) signs.push('the "target_state_id" of its transitions');
  const own = ['initial_state_id', 'session_context', 'system_prompt'];
  signs.push(...own.filter((field) => Object.hasOwn(root, field)).map((field) => `"${field}"`));
  if (signs.length > 0) return { matches: true, signs };
  const because = 'none of its states has "tasks" or "transitions" to a "target_state_id"';
  return { matches: false, because };
}

function hasPlanTransition(state: unknown): boolean {
  const transitions = isRecord(state) ? state['transitions'] : undefined;
  return (
    Array.isArray(transitions) &&
    transitions.some((one) => isRecord(one) && typeof one['target_state_id'] === 'string')
  );
}
