import type { PortOutput } from '@dramaturg/compiler';
import { currentState, type ExitMeta, type GraphScope, outputOf, traversalOf } from './meta.ts';

/** The model's answer, word for word. */
export function writtenAnswer(scope: Pick<GraphScope, 'event'>): string {
  return (outputOf(scope) as PortOutput<'choose'>).option;
}

/**
 * The option that an answer names: an action's or exit's id; else the target or the description of an exit, if all exits that
 * match lead to one state. A state that is not the target of an exit is an invalid answer, even if it exists. Spec:
 * docs/formats/context-graph.md#answers
 */
export function pickedOption(scope: GraphScope): string | undefined {
  const answer = writtenAnswer(scope);
  const { actions = [], exits = [] } = currentState(scope);
  if (actions.some(({ id }) => id === answer)) return answer;
  return traversalOf(scope).masked ? undefined : pickedExit(answer, exits)?.id;
}

function pickedExit(answer: string, exits: readonly ExitMeta[]): ExitMeta | undefined {
  const byId = exits.find(({ id }) => id === answer);
  if (byId) return byId;
  const matching = exits.filter(
    ({ next_state, description }) => next_state === answer || description === answer,
  );
  return new Set(matching.map(({ to }) => to)).size === 1 ? matching[0] : undefined;
}

/** The exit that an answer names. */
export function exitPicked(scope: GraphScope): ExitMeta | undefined {
  const picked = pickedOption(scope);
  return currentState(scope).exits?.find(({ id }) => id === picked);
}
