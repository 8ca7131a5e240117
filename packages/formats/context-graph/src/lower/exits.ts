import type { JsonObject } from '@dramaturg/compiler';
import type { ChartTransition } from '@dramaturg/compiler/chart';
import { type ExitCondition, type Target } from '../definition.ts';
import { exitId, shownState, stateNode } from '../names.ts';
import { addressOfTarget, originOf, type EnteredGraph } from './entered-graph.ts';
import { refusal, refused } from './hop.ts';
import { action, guard } from './references.ts';

/**
 * Exit conditions are sentences that the model judges: its answer names one of them. Each is a candidate of its own, and
 * one more takes the exits that the limits refuse. Spec: docs/formats/context-graph.md#exits
 */
export function exitTransitions(
  entered: EnteredGraph,
  exits: readonly ExitCondition[],
): ChartTransition[] {
  if (exits.length === 0) return [];
  const candidates = exits.map(({ next_state: target, description, at }, index) => {
    const to = addressOfTarget(entered, target!);
    const exit = exitId(index);
    return {
      target: `#${stateNode(to)}`,
      guard: guard('picks', { option: exit, to }),
      actions: [action('follow', { to, exit })],
      description,
      meta: { origin: originOf(entered, at) },
    };
  });
  return [
    ...candidates,
    { ...refused(entered), guard: guard('picksExit'), actions: [action(refusal(entered))] },
  ];
}

/** The exits as their state's node carries them. */
export function exitsMeta(entered: EnteredGraph, exits: readonly ExitCondition[]): JsonObject[] {
  return exits.map(({ description, next_state: target }, index) => ({
    id: exitId(index),
    description,
    next_state: target ? writtenTarget(target) : '',
    to: target ? addressOfTarget(entered, target) : '',
  }));
}

/** A target as an author writes it and a model may name it. */
function writtenTarget(target: Target): string {
  if (target.kind === 'call') return `${target.reference}.${target.state}`;
  return target.kind === 'state' ? target.state : '';
}

/** What every state's node carries. */
export function sharedMeta(
  entered: EnteredGraph,
  { name, type, at }: { name: string; type: string; at: readonly (string | number)[] },
): JsonObject {
  const address = entered.path + name;
  return {
    origin: originOf(entered, at),
    title: shownState(address),
    type,
    ...(entered.referenceAt ? { at: [...at] } : {}),
  };
}
