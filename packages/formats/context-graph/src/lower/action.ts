import type { JsonObject } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { calling, waitingNode } from '@dramaturg/conversation';
import type { ActionState, ExitCondition, State, Target } from '../definition.ts';
import {
  actionId,
  calledEndNode,
  endNode,
  exitId,
  phaseNode,
  shownState,
  stateNode,
  summaryNode,
} from '../names.ts';
import { askAgain, consult, toolMeta } from './consult.ts';
import {
  addressOf,
  addressOfTarget,
  endsSilently,
  type EnteredGraph,
  isCalled,
  isTerminal,
  originOf,
} from './entered-graph.ts';
import { leave, refusal, refused } from './hop.ts';
import { action, guard, input } from './references.ts';

/**
 * An action state. Only action states speak to the person and wait for them. A turn that arrives here retrieves memories, selects
 * an action or an exit, and addresses the person with the action. Spec: docs/formats/context-graph.md#action-states
 */
export function lowerAction(entered: EnteredGraph, state: State): ChartNode {
  if (state.type !== 'action') throw new TypeError(`"${state.name}" is not an action state.`);
  const id = stateNode(addressOf(entered, state.name));
  if (endsSilently(entered, state))
    return { id, type: 'final', meta: { ...sharedMeta(entered, state), silent: true } };
  return {
    id,
    ...(state.objective ? { description: state.objective } : {}),
    initial: 'remembering',
    meta: metaOf(entered, state),
    states: {
      waiting: waiting(entered, state),
      remembering: remembering(entered, state),
      selecting: selecting(entered, state),
      engaging: engaging(entered, state),
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

function waiting(entered: EnteredGraph, actionState: ActionState): ChartNode {
  const state = addressOf(entered, actionState.name);
  // The calling graph takes the person's answer to the last message of a referenced graph.
  const isLast = isCalled(entered) && isTerminal(entered, actionState);
  const target = isLast ? `#${calledEndNode(entered.path)}` : 'remembering';
  return waitingNode(phaseNode(state, 'waiting'), { target, resumed: 'remembering' });
}

/** Retrieves active memory once a turn when the state becomes active, unless the state excludes it. */
function remembering(entered: EnteredGraph, state: ActionState): ChartNode {
  if (state.skip_active_memory_retrieval) return { always: [{ target: 'selecting' }] };
  return {
    entry: [action('countCall')],
    always: [{ target: 'selecting', guard: guard('isRemembered') }],
    ...calling('recall', input('remember'), [
      { target: 'selecting', actions: [action('takeActiveMemory')] },
    ]),
  };
}

function selecting(entered: EnteredGraph, state: ActionState): ChartNode {
  const { actions, exit_conditions: exits, exit_condition_tool_call_specs: tools } = state;
  const address = addressOf(entered, state.name);
  const id = phaseNode(address, 'selecting');
  const engage = `#${phaseNode(address, 'engaging')}`;
  const first = { target: engage, actions: [action('selectFirst')] };
  // With one action and no exit there is nothing to select.
  if (actions.length === 1 && exits.length === 0) return { id, always: [first] };
  return {
    id,
    // With masked exits there is nothing to select either.
    ...(actions.length === 1 ? { always: [{ ...first, guard: guard('isMasked') }] } : {}),
    ...consult(entered, {
      port: 'choose',
      input: 'select',
      params: { tools: 'exit_tools' },
      tools,
      answers: [
        ...exitTransitions(entered, exits),
        {
          target: engage,
          guard: guard('picksAction'),
          actions: [action('selectAction')],
        },
        askAgain(id, 'refuseAnswer'),
        { ...first, actions: [action('refuseAnswer'), ...first.actions] },
      ],
    }),
  };
}

function engaging(entered: EnteredGraph, state: ActionState): ChartNode {
  const address = addressOf(entered, state.name);
  const { summariseAfter: after } = entered.options;
  const spoken: ChartTransition = {
    target: `#${phaseNode(address, 'waiting')}`,
    actions: [action('speak')],
  };
  const ending: ChartTransition = {
    target: `#${endNode}`,
    guard: guard('wasEntered'),
    actions: [action('speak'), action('complete')],
  };
  const endedByAgent: ChartTransition = { ...ending, guard: guard('endsConversation') };
  return {
    id: phaseNode(address, 'engaging'),
    ...consult(entered, {
      port: 'reply',
      input: 'engage',
      params: { tools: 'action_tools' },
      tools: state.action_tool_call_specs,
      answers: [
        endedByAgent,
        ...(isTerminal(entered, state) && !isCalled(entered) ? [ending] : []),
        ...(after === undefined
          ? []
          : [
              {
                ...spoken,
                target: `#${summaryNode}`,
                // The reply is counted when it is spoken.
                guard: guard('isSummaryDue', { after: after - 1 }),
              },
            ]),
        spoken,
      ],
    }),
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
  return [
    ...candidates,
    { ...refused(entered), guard: guard('picksExit'), actions: [action(refusal(entered))] },
  ];
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
