import type { JsonObject } from '@dramaturg/compiler';
import type { ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import { defined, end, handOverMeta, human, restart } from '@dramaturg/conversation';
import type {
  ActionState,
  DecisionState,
  ExitCondition,
  ReadFields,
  State,
  Target,
  ToolCallSpec,
} from '../definition.ts';
import {
  actionId,
  backNode,
  calledEndNode,
  exitId,
  internal,
  leavingNode,
  type Need,
  restartNode,
  shownState,
  stateNode,
} from '../names.ts';
import type { ContextGraphOptions } from '../shape.ts';
import {
  addressOf,
  addressOfTarget,
  endsSilently,
  type EnteredGraph,
  isCalled,
  isTerminal,
  originOf,
} from './entered-graph.ts';
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

/**
 * The transitions of exits. Exit conditions are sentences that the model judges: its answer names one of them. Each exit is a
 * candidate, and one more candidate takes the exits that the limits refuse. Spec: docs/formats/context-graph.md#exits
 */
function exitTransitions(
  entered: EnteredGraph,
  exits: readonly ExitCondition[],
): ChartTransition[] {
  if (exits.length === 0) return [];
  const candidates = exits.map(({ next_state: target, description, at }, index) =>
    moveTo(entered, { ...target!, at }, { description, exit: exitId(index) }),
  );
  return [...candidates, { ...refused(entered), guard: guard('picksExit') }];
}

/** A model whose answer was refused is asked once more. */
function askAgain(need: Need): ChartTransition {
  return { guard: guard('mayAskAgain'), actions: [action('refuseAnswer', { again: need })] };
}

/** The exits as stored in the meta of the state's node. */
function exitsMeta(entered: EnteredGraph, exits: readonly ExitCondition[]): JsonObject[] {
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
function sharedMeta(entered: EnteredGraph, state: State): JsonObject {
  const { name, type, at } = state;
  const need = needOf(entered, state);
  return {
    origin: originOf(entered, at),
    title: shownState(entered.path + name),
    type,
    ...(entered.referenceAt ? { at: [...at] } : {}),
    ...(need && { needs: need }),
  };
}

/** A state with its fields, as guards and prompts read them. */
function metaOf(entered: EnteredGraph, state: State): JsonObject {
  const { options } = entered;
  const tool = (spec: ToolCallSpec) => toolMeta(spec, options);
  const fields: Partial<ReadFields> = state;
  const { problem, exit_conditions: exits } = fields;
  return {
    ...sharedMeta(entered, state),
    ...defined({
      designated: fields.designated_tool && tool(fields.designated_tool),
      objective: fields.objective ?? fields.designated_tool_call_objective,
      context: fields.designated_tool_call_context,
      guidances: fields.designated_tool_call_guidances,
      validations: fields.designated_tool_call_validations,
      actions: fields.actions?.map((description, index) => ({ id: actionId(index), description })),
      decision_guidelines: fields.decision_guidelines,
      exits: exits && exitsMeta(entered, exits),
      intra_state_navigation_guidelines: fields.intra_state_navigation_guidelines,
      action_guidelines: fields.action_guidelines,
      boundary_constraints: fields.boundary_constraints,
      problem,
      word_limit: fields.word_limit,
      cut: (problem !== undefined && options.wordLimit === 'cut') || undefined,
      queries: fields.queries,
      requested_information: fields.requested_information,
      inner_thought: fields.inner_thought,
      side_effect: fields.side_effect,
      action_tools: fields.action_tool_call_specs?.map(tool),
      exit_tools: fields.exit_condition_tool_call_specs?.map(tool),
      tools: fields.tool_call_specs?.map(tool),
    }),
  };
}

type HiddenState = Exclude<State, ActionState>;

/**
 * A state that the person does not notice: it is passed on the way from one action state to another, once the turn has what the
 * state needs.
 */
export function lowerHidden(entered: EnteredGraph, state: HiddenState): ChartNode {
  const next = nextOf(entered, state);
  return {
    id: stateNode(addressOf(entered, state.name)),
    ...(needOf(entered, state) ? { on: { [internal.next]: next } } : { always: next }),
    meta: metaOf(entered, state),
  };
}

function nextOf(entered: EnteredGraph, state: HiddenState): readonly ChartTransition[] {
  if (state.type === 'decision') return decided(entered, state);
  const isEvent = state.type === 'side-effect' && state.side_effect['type'] !== 'send-email';
  return hop(entered, state.next_state!, {
    ...(state.type === 'annotation' && { actions: [action('annotate')] }),
    // An event for the client is emitted with the turn; an e-mail is sent by a tool.
    ...(isEvent && { actions: [action('triggerEffect')] }),
  });
}

/** A decision must be left by one of its exits. */
function decided(entered: EnteredGraph, state: DecisionState): readonly ChartTransition[] {
  const { exit_conditions: exits } = state;
  const target = exits.at(-1)?.next_state;
  const { description = '' } = exits.at(-1) ?? {};
  if (!needOf(entered, state)) return hop(entered, target!, { follow: 'followAlone', description });
  const refuse = action('refuseAnswer');
  const actions = [refuse];
  const withoutExit = {
    fallback: [{ target: `#${backNode}`, actions: [refuse, action('fallBack')] }],
    'last-exit': target ? hop(entered, target, { actions, follow: 'followLast', description }) : [],
    error: [voided(refuse, action('failWithoutExit'))],
  };
  return [
    ...exitTransitions(entered, exits),
    askAgain('deciding'),
    ...withoutExit[entered.options.onNoExit],
  ];
}

interface Hop {
  /** The actions before the move. */
  readonly actions?: readonly Reference[];
  /** How the move is recorded. */
  readonly follow?: 'follow' | 'followAlone' | 'followLast' | 'comeBack';
  /** The label of the move in a drawing. */
  readonly description?: string;
  /** The exit condition that was met. */
  readonly exit?: string;
}

/**
 * A move to another state, if the limits of the turn allow it; otherwise the refusal is recorded. Guards receive the target as
 * `to`. Spec: docs/formats/context-graph.md#limits
 */
export function hop(entered: EnteredGraph, target: Target, how: Hop = {}): ChartTransition[] {
  const move = moveTo(entered, target, how);
  if (target.kind === 'other') return [move];
  const { follow: as = 'follow', actions } = how;
  return [move, refused(entered, { to: addressOfTarget(entered, target), as }, actions)];
}

/** A transition to a target. One that is not a state hands over or says goodbye with one message, or begins the graph again. */
function moveTo(
  entered: EnteredGraph,
  target: Target,
  { actions = [], follow = 'follow', description = 'then', exit }: Hop,
): ChartTransition {
  const origin = originOf(entered, target.at);
  if (target.kind === 'other') {
    const { target: other, outcome, reason } = target;
    const params = defined({ exit, outcome, reason });
    const leaving: Readonly<Record<string, readonly Reference[]>> = {
      [human]: [action('handOver', params)],
      [end]: [action('leave', params)],
    };
    return {
      target: `#${other === restart ? restartNode : leavingNode}`,
      ...(exit !== undefined && { guard: guard('picks', { option: exit }) }),
      description,
      actions: [...actions, ...(leaving[other] ?? [])],
      meta: { origin, ...(other === human && handOverMeta) },
    };
  }
  const to = addressOfTarget(entered, target);
  return {
    target: `#${stateNode(to)}`,
    guard: exit === undefined ? guard('mayEnter', { to }) : guard('picks', { option: exit, to }),
    actions: [...actions, action(follow, { to, ...(exit !== undefined && { exit }) })],
    description,
    meta: { origin },
  };
}

/** A move that the limits do not allow: the latest action state speaks, or the turn is void. */
function refused(
  { options }: EnteredGraph,
  params: { readonly to?: string; readonly as?: string } = {},
  actions: readonly Reference[] = [],
): ChartTransition {
  return options.onLimit === 'error'
    ? voided(...actions, action('failAtLimit', params))
    : { target: `#${backNode}`, actions: [...actions, action('refuseMove', params)] };
}

/** The turn is void. */
function voided(...actions: readonly Reference[]): ChartTransition {
  return { target: `#${backNode}`, actions: [...actions, action('voidTurn')] };
}

/** What a state needs first from the turn; undefined for a state that is passed. */
export function needOf(entered: EnteredGraph, state: State): Need | undefined {
  switch (state.type) {
    case 'action':
      if (endsSilently(entered, state)) return undefined;
      return state.skip_active_memory_retrieval ? 'selecting' : 'remembering';
    case 'decision': {
      // A single exit leaves nothing to decide, unless tools are to be used first.
      const { exit_conditions: exits, tool_call_specs: tools } = state;
      return exits.length === 1 && tools.length === 0 ? undefined : 'deciding';
    }
    case 'recall':
      return state.requested_information === '' ? 'recalling' : 'wording';
    case 'side-effect':
      return state.side_effect['type'] === 'send-email' ? 'mailing' : undefined;
    default:
      return needs[state.type];
  }
}

const needs = {
  annotation: undefined,
  reflection: 'reflecting',
  'tool-call': 'preparing',
} as const;

/** A tool call spec as stored in the meta of a node. */
function toolMeta(
  { tool_id, additional_instruction, version_constraint, result_persistence }: ToolCallSpec,
  { tools }: ContextGraphOptions,
): JsonObject {
  const known = Object.hasOwn(tools, tool_id) ? tools[tool_id] : undefined;
  return {
    tool_id,
    name: known?.name ?? tool_id,
    description: [known?.description, additional_instruction].filter(Boolean).join(' '),
    parameters: known?.parameters ?? { type: 'object' },
    ...(version_constraint ? { version_constraint } : {}),
    result_persistence,
  };
}
