import type {
  GuardEvent,
  InspectedReason,
  InspectorEvent,
  TransitionEvent,
} from '../../../../src/events.ts';
import {
  isAuthored,
  nodesOf,
  type PlacedNode,
  type PlacedTransition,
  targetIdsOf,
  titleOf,
  transitionsOf,
} from '../chart-nodes.ts';
import type { Chart } from '@dramaturg/compiler';
import { isSame } from '../diff.ts';

/** A transition out of a state, with the words of its condition and whether it holds. */
export interface Condition {
  /** The name of the state that it leads to; undefined when it leads nowhere. */
  readonly to: string | undefined;
  /** The author's words, or the guard's name: `issue_type = billing`. */
  readonly words: string;
  /** Undefined when it was not evaluated. */
  readonly holds: boolean | undefined;
  readonly isTaken: boolean;
  readonly reason?: InspectedReason;
}

/** The guards and transitions of an actor, in order. */
export interface Doings {
  readonly guards: readonly GuardEvent[];
  readonly transitions: readonly TransitionEvent[];
}

export function doingsOf(
  sessionId: string,
  events: readonly InspectorEvent[],
  from: number,
  to: number,
): Doings {
  const guards: GuardEvent[] = [];
  const transitions: TransitionEvent[] = [];
  for (let index = Math.max(0, from); index < Math.min(to, events.length); index += 1) {
    const event = events[index]!;
    if (event.sessionId !== sessionId) continue;
    if (event.type === '@dramaturg.guard') guards.push(event);
    else if (event.type === '@dramaturg.transition') transitions.push(event);
  }
  return { guards, transitions };
}

/** The author's transitions out of a state, including those of the nodes inside it that the author did not write. */
export function authoredExits(state: PlacedNode): readonly PlacedTransition[] {
  const own = transitionsOf(state).filter(({ transition }) => transition.meta?.origin);
  const inside = state.children.filter((child) => !isAuthored(child));
  return [...own, ...inside.flatMap(authoredExits)];
}

/** The conditions of transitions, with what was evaluated and taken. */
export function conditionsOf(
  chart: Chart,
  exits: readonly PlacedTransition[],
  { guards, transitions }: Doings,
): readonly Condition[] {
  const nodes = nodesOf(chart);
  const taken = exits.findIndex((exit) => transitions.some((each) => isTaken(exit, each)));
  return exits.map((exit, index) => {
    const asked = exit.transition.guard && guards.findLast((each) => isAsked(exit, each));
    const target = nodes.get(targetIdsOf(exit)[0] ?? '');
    const isOne = index === taken;
    return {
      to: target && titleOf(target),
      words: wordsOf(exit),
      holds: asked?.result ?? (isOne ? true : resultByOrder(exit, exits[taken])),
      isTaken: isOne,
      ...(asked?.reason ? { reason: asked.reason } : {}),
    };
  });
}

/** The result of a condition from the order of transitions: a taken transition means that the conditions before it did not hold. */
function resultByOrder(
  { from, event, index, transition }: PlacedTransition,
  taken: PlacedTransition | undefined,
): boolean | undefined {
  if (!taken || taken.from !== from || taken.event !== event || !transition.guard) return undefined;
  return index < taken.index ? false : undefined;
}

function isAsked({ transition }: PlacedTransition, { guard, params }: GuardEvent): boolean {
  const { guard: own } = transition;
  return own?.type === guard && isSame(own.params ?? {}, params ?? {});
}

function isTaken(exit: PlacedTransition, { taken, event }: TransitionEvent): boolean {
  if (exit.event !== '' && !handles(exit.event, event.type)) return false;
  const targets = targetIdsOf(exit);
  const { guard } = exit.transition;
  return taken.some(
    ({ from, to, guard: by }) =>
      from === exit.from.id && isSame(to, targets) && (by === undefined || by === guard?.type),
  );
}

/** Whether a transition for an event descriptor is for an event: `*` and `mouse.*` match many. */
export function handles(descriptor: string, type: string): boolean {
  if (descriptor === type || descriptor === '*') return true;
  if (descriptor === 'xstate.done.state') return type.startsWith('xstate.done.state.');
  return descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1));
}

/** The condition of a transition: its description, or its guard, or its event. */
function wordsOf({ event, transition: { description, guard } }: PlacedTransition): string {
  if (description !== undefined && description !== '' && description !== 'then') return description;
  if (guard) return guard.type;
  if (event === '' || event.startsWith('xstate.done')) return 'otherwise';
  return event;
}
