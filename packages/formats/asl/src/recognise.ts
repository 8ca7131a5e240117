import { isRecord } from '@dramaturg/compiler';
import type { Recognition } from '@dramaturg/compiler/format';
import { isStateType } from './kinds.ts';

/** Whether a value is an object of states by name, without a workflow around them. */
export function isBareStates(value: unknown): value is Record<string, Record<string, unknown>> {
  const states = isRecord(value) ? Object.values(value) : [];
  return (
    states.length > 0 && states.every((state) => isRecord(state) && isStateType(state['Type']))
  );
}

/** Recognises a workflow by its shape: named states, with "StartAt" or the types of states. */
export function recognise(value: unknown): Recognition {
  if (isBareStates(value)) return { matches: true, signs: ['the "Type" of its states'] };
  const states = isRecord(value) ? value['States'] : undefined;
  if (!isRecord(value) || !isRecord(states)) {
    return { matches: false, because: 'it has no object of "States"' };
  }
  const signs: string[] = [];
  if (Object.hasOwn(value, 'StartAt')) signs.push('"StartAt"');
  const isTyped = Object.values(states).some(
    (state) => isRecord(state) && isStateType(state['Type']),
  );
  if (isTyped) signs.push('the "Type" of its states');
  return signs.length > 0
    ? { matches: true, signs }
    : { matches: false, because: 'it has no "StartAt", and none of its states has a "Type"' };
}
