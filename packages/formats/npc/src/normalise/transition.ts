import type { Report } from '@dramaturg/compiler/format';
import { type Decision, decisions, type Transition } from '../definition.ts';
import { unknownDecision } from '../diagnostics/transitions.ts';
import { type Placed, optionalText, wholeNumber } from './fields.ts';

export function readTransition({ value: fields, at }: Placed, report: Report): Transition {
  const written = fields['decision_type'];
  const decision_type = decisions.find(
    (decision) => typeof written === 'string' && decision === written.trim().toLowerCase(),
  );
  if (typeof written === 'string' && decision_type === undefined)
    report(unknownDecision(written), [...at, 'decision_type']);
  return {
    row: '',
    from_state_key: optionalText(fields['from_state_key']),
    to_state_key: optionalText(fields['to_state_key']),
    decision_type,
    score_delta: wholeNumber(fields['score_delta']) ?? 0,
    priority: wholeNumber(fields['priority']) ?? 1,
    condition: optionalText(fields['condition']),
    at,
  };
}

/** In order of priority, each with the name by which an evaluator chooses it among the others of its state. */
export function inOrder(transitions: readonly Transition[]): Transition[] {
  const groups = new Map<string, number>();
  const groupOf = ({ from_state_key, decision_type }: Transition) =>
    JSON.stringify([from_state_key, decision_type]);
  for (const one of transitions) groups.set(groupOf(one), (groups.get(groupOf(one)) ?? 0) + 1);
  const taken = new Map<string, Map<string, number>>();
  return transitions
    .toSorted((a, b) => a.priority - b.priority)
    .map((one) => {
      if (one.decision_type === undefined) return one;
      if (groups.get(groupOf(one)) === 1) return { ...one, row: one.decision_type };
      const inUse = taken.get(groupOf(one)) ?? new Map<string, number>();
      taken.set(groupOf(one), inUse);
      return { ...one, row: freeName(one.decision_type, one.to_state_key, inUse) };
    });
}

/** @param taken names in use, each with the number to try next when it is wanted again */
function freeName(decision: Decision, target: string, taken: Map<string, number>): string {
  const name = `${decision}:${target}`;
  let number = taken.get(name) ?? 1;
  let free = name;
  for (; taken.has(free); number += 1) free = `${name}:${number + 1}`;
  taken.set(name, number);
  if (free !== name) taken.set(free, 1);
  return free;
}
