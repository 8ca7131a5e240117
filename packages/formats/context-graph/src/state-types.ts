import { isRecord } from '@dramaturg/compiler';

export const stateTypes = [
  'action',
  'decision',
  'reflection',
  'recall',
  'annotation',
  'side-effect',
  'tool-call',
] as const;

export type StateType = (typeof stateTypes)[number];

export function isStateType(value: unknown): value is StateType {
  return (stateTypes as readonly unknown[]).includes(value);
}

/** Whether the value is one state without a graph: as in documentation, with its name inside or as its only key. */
export function isBareState(value: unknown): boolean {
  if (!isRecord(value) || Object.hasOwn(value, 'states')) return false;
  if (looksLikeState(value)) return true;
  const parts = Object.values(value);
  return parts.length > 0 && parts.every(looksLikeState);
}

export function looksLikeState(value: unknown): boolean {
  return (
    isRecord(value) &&
    isStateType(value['type']) &&
    (Array.isArray(value['exit_conditions']) ||
      typeof value['next_state'] === 'string' ||
      Array.isArray(value['next_state']))
  );
}
