import type { ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import { defined, end, handOverMeta, human, restart } from '@dramaturg/conversation';
import type { ActionState, DecisionState, ExitCondition, State, Target } from '../definition.ts';
import {
  backNode,
  calledEndNode,
  internal,
  leavingNode,
  type Need,
  restartNode,
  stateNode,
} from '../names.ts';
import { addressOf, addressOfTarget, type EnteredGraph, originOf } from './entered-graph.ts';
import { metaOfState, needOf, optionId } from './meta.ts';
import { action, guard } from './references.ts';

/**
 * An action state. It speaks to the person and waits for them, in the turn. The calling graph takes the person's answer to the last
 * message of a referenced graph. Spec: docs/formats/context-graph.md#action-states
 */
export function lowerAction(entered: EnteredGraph, state: ActionState): ChartNode {
  const id = stateNode(addressOf(entered, state.name));
  const meta = metaOfState(entered, state);
  if (meta.silent) return { id, type: 'final', meta };
  const next = meta.returns
    ? [{ target: `#${calledEndNode(entered.path)}` }]
    : [
        ...exitTransitions(entered, state.exit_conditions),
        { guard: guard('picksAction'), actions: [action('selectAction')] },
        askAgain('selecting'),
        { actions: [action('refuseAnswer'), action('selectFirst')] },
      ];
  const { objective: description } = state;
  return { id, ...(description && { description }), on: { [internal.next]: next }, meta };
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
    moveTo(entered, { ...target!, at }, { description, exit: optionId('E', index) }),
  );
  return [...candidates, { ...refused(entered), guard: guard('picksExit') }];
}

/** A model whose answer was refused is asked once more. */
function askAgain(need: Need): ChartTransition {
  return { guard: guard('mayAskAgain'), actions: [action('refuseAnswer', { again: need })] };
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
    meta: metaOfState(entered, state),
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
