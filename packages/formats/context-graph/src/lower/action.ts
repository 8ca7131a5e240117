import type { JsonObject } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import type { ActionState, ExitCondition, State, Target } from '../definition.ts';
import {
  actionId,
  calledEndNode,
  exitId,
  internal,
  type Need,
  shownState,
  stateNode,
} from '../names.ts';
import {
  addressOf,
  addressOfTarget,
  endsSilently,
  type EnteredGraph,
  isCalled,
  isTerminal,
  originOf,
} from './entered-graph.ts';
import { leave, refused } from './hop.ts';
import { needOf, toolMeta } from './needs.ts';
import { action, guard } from './references.ts';

/**
 * An action state. It speaks to the person and waits for them, in the turn. The calling graph takes the person's answer to the last
 * message of a referenced graph. Spec: docs/formats/context-graph.md#action-states
 */
export function lowerAction(entered: EnteredGraph, state: ActionState): ChartNode {
  const id = stateNode(addressOf(entered, state.name));
  if (endsSilently(entered, state))
    return { id, type: 'final', meta: { ...sharedMeta(entered, state), silent: true } };
  const isLast = isTerminal(entered, state);
  const next =
    isLast && isCalled(entered)
      ? [{ target: `#${calledEndNode(entered.path)}` }]
      : [
          ...exitTransitions(entered, state.exit_conditions),
          { guard: guard('picksAction'), actions: [action('selectAction')] },
          askAgain('selecting'),
          { actions: [action('refuseAnswer'), action('selectFirst')] },
        ];
  return {
    id,
    ...(state.objective ? { description: state.objective } : {}),
    on: { [internal.next]: next },
    meta: {
      ...metaOf(entered, state),
      ...(isLast && (isCalled(entered) ? { returns: true } : { ends: true })),
    },
  };
}

function metaOf(entered: EnteredGraph, state: ActionState): NonNullable<ChartNode['meta']> {
  const tools = (specs: ActionState['action_tool_call_specs']) =>
    specs.map((spec) => toolMeta(spec, entered.options));
  return {
    ...sharedMeta(entered, state),
    objective: state.objective,
    actions: state.actions.map((description, index) => ({ id: actionId(index), description })),
    exits: exitsMeta(entered, state.exit_conditions),
    intra_state_navigation_guidelines: state.intra_state_navigation_guidelines,
    action_guidelines: state.action_guidelines,
    boundary_constraints: state.boundary_constraints,
    action_tools: tools(state.action_tool_call_specs),
    exit_tools: tools(state.exit_condition_tool_call_specs),
  };
}

/**
 * The transitions of exits. Exit conditions are sentences that the model judges: its answer names one of them. Each exit is a
 * candidate, and one more candidate takes the exits that the limits refuse. Spec: docs/formats/context-graph.md#exits
 */
export function exitTransitions(
  entered: EnteredGraph,
  exits: readonly ExitCondition[],
): ChartTransition[] {
  if (exits.length === 0) return [];
  const candidates = exits.map(({ next_state: target, description, at }, index) => {
    const to = addressOfTarget(entered, target!);
    const exit = exitId(index);
    if (target!.kind === 'other') {
      const rest = { guard: guard('picks', { option: exit }), description };
      return leave(entered, { ...target!, at }, rest, exit);
    }
    return {
      target: `#${stateNode(to)}`,
      guard: guard('picks', { option: exit, to }),
      actions: [action('follow', { to, exit })],
      description,
      meta: { origin: originOf(entered, at) },
    };
  });
  return [...candidates, { ...refused(entered), guard: guard('picksExit') }];
}

/** A model whose answer was refused is asked once more. */
export function askAgain(need: Need): ChartTransition {
  return { guard: guard('mayAskAgain'), actions: [action('refuseAnswer', { again: need })] };
}

/** The exits as stored in the meta of the state's node. */
export function exitsMeta(entered: EnteredGraph, exits: readonly ExitCondition[]): JsonObject[] {
  return exits.map(({ description, next_state: target }, index) => ({
    id: exitId(index),
    description,
    next_state: target ? writtenTarget(target) : '',
    to: target ? addressOfTarget(entered, target) : '',
  }));
}

/** A target in the spelling of authors, which a model may use. */
function writtenTarget(target: Target): string {
  if (target.kind === 'call') return `${target.reference}.${target.state}`;
  if (target.kind === 'other') return target.target;
  return target.kind === 'state' ? target.state : '';
}

/** The fields that every state's node stores in its meta. */
export function sharedMeta(entered: EnteredGraph, state: State): JsonObject {
  const { name, type, at } = state;
  const address = entered.path + name;
  const need = needOf(entered, state);
  return {
    origin: originOf(entered, at),
    title: shownState(address),
    type,
    ...(entered.referenceAt ? { at: [...at] } : {}),
    ...(need && { needs: need }),
  };
}
